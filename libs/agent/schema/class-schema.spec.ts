import { ApiProperty } from '@nestjs/swagger';
import { Exclude, Expose, Type } from 'class-transformer';
import * as v from 'class-validator';
import { jsonSchemaOf } from './class-input.js';
import { Describe } from './describe.decorator.js';
import { InputDefinitionError } from './input-definition.error.js';

const propertiesOf = (cls: new () => object): Record<string, unknown> =>
  jsonSchemaOf(cls)['properties'] as Record<string, unknown>;

describe('JSON Schema of a parameter class', () => {
  it('says type and need of every decorated property, and takes no other', () => {
    class Operands {
      @v.IsNumber() a!: number;
      @v.IsNumber() b!: number;
      note?: string;
    }
    expect(jsonSchemaOf(Operands)).toEqual({
      type: 'object',
      properties: { a: { type: 'number' }, b: { type: 'number' } },
      required: ['a', 'b'],
      additionalProperties: false,
    });
  });

  it('is frozen to its depth', () => {
    class Frozen {
      @v.IsIn(['x']) a!: string;
    }
    const { enum: values } = propertiesOf(Frozen)['a'] as { enum: string[] };
    expect(() => values.push('y')).toThrow(TypeError);
  });

  it('tells bounds of numbers, and keeps an integer an integer', () => {
    class Numbers {
      @v.Min(1) @v.Max(9) @v.IsInt() count!: number;
      @v.IsInt() @v.Min(0) @v.Min(3) twice!: number;
      @v.IsPositive() above!: number;
      @v.IsNegative() below!: number;
      @v.IsDivisibleBy(5) @v.IsInt() fives!: number;
      @v.IsNumber({ maxDecimalPlaces: 2 }) price!: number;
      @v.IsNumber({ maxDecimalPlaces: 0 }) whole!: number;
    }
    expect(propertiesOf(Numbers)).toEqual({
      count: { type: 'integer', minimum: 1, maximum: 9 },
      twice: { type: 'integer', minimum: 3 },
      above: { type: 'number', exclusiveMinimum: 0 },
      below: { type: 'number', exclusiveMaximum: 0 },
      fives: { type: 'integer', multipleOf: 5 },
      price: { type: 'number', multipleOf: 0.01 },
      whole: { type: 'integer' },
    });
  });

  it('tells lengths, patterns and formats of texts', () => {
    class Texts {
      @v.IsString() plain!: string;
      @v.Length(2, 4) word!: string;
      @v.Length(3) atLeast!: string;
      @v.MinLength(1) @v.MaxLength(5) both!: string;
      @v.Matches(/^[a-z]+$/) lower!: string;
      @v.Matches(/^[a-z]+$/i) anyCase!: string;
      @v.Matches('^x', 'i') alsoAnyCase!: string;
      @v.IsNotEmpty() @v.IsString() filled!: string;
      @v.IsEmail() mail!: string;
      @v.IsUrl() url!: string;
      @v.IsUUID() id!: string;
      @v.IsDateString() at!: string;
      @v.IsISO8601() since!: string;
      @v.IsIP(6) address!: string;
      @v.IsIP() anyAddress!: string;
      @v.IsAlpha() letters!: string;
    }
    expect(propertiesOf(Texts)).toEqual({
      plain: { type: 'string' },
      word: { type: 'string', minLength: 2, maxLength: 4 },
      atLeast: { type: 'string', minLength: 3 },
      both: { type: 'string', minLength: 1, maxLength: 5 },
      lower: { type: 'string', pattern: '^[a-z]+$' },
      anyCase: { type: 'string' },
      alsoAnyCase: { type: 'string' },
      filled: { type: 'string', minLength: 1 },
      mail: { type: 'string', format: 'email' },
      url: { type: 'string', format: 'uri' },
      id: { type: 'string', format: 'uuid' },
      at: { type: 'string', format: 'date-time' },
      since: { type: 'string', format: 'date-time' },
      address: { type: 'string', format: 'ipv6' },
      anyAddress: { type: 'string' },
      letters: { type: 'string' },
    });
  });

  it('tells allowed and forbidden values, also of numeric TypeScript enums', () => {
    enum Level {
      Low,
      High = 5,
    }
    enum Colour {
      Red = 'red',
      Blue = 'blue',
    }
    class Values {
      @v.IsEnum(Level) level!: Level;
      @v.IsEnum(Colour) colour!: Colour;
      @v.IsIn([1, 2.5]) size!: number;
      @v.IsIn(['a', null]) maybe!: string | null;
      @v.Equals('yes') sure!: string;
      @v.IsNotIn(['root', 5]) @v.IsString() user!: string;
      @v.NotEquals(0) @v.IsInt() divisor!: number;
      @v.IsDefined() anything!: unknown;
    }
    expect(propertiesOf(Values)).toEqual({
      level: { type: 'integer', enum: [0, 5] },
      colour: { type: 'string', enum: ['red', 'blue'] },
      size: { type: 'number', enum: [1, 2.5] },
      maybe: { type: ['string', 'null'], enum: ['a', null] },
      sure: { type: 'string', enum: ['yes'] },
      user: { type: 'string', not: { enum: ['root'] } },
      divisor: { type: 'integer', not: { enum: [0] } },
      anything: { not: { enum: [null] } },
    });
  });

  it('describes lists by the rules for each item', () => {
    class Lists {
      @v.IsArray() @v.ArrayNotEmpty() @v.ArrayMaxSize(3) @v.IsString({ each: true }) tags!: string[];
      @v.ArrayUnique() @v.ArrayMinSize(2) @v.IsIn(['a', 'b'], { each: true }) picks!: string[];
      @v.IsArray() @Type(() => Number) numbers!: number[];
      @v.IsArray() @v.IsMongoId({ each: true }) ids!: string[];
      @v.IsArray() anything!: unknown[];
    }
    expect(propertiesOf(Lists)).toEqual({
      tags: { type: 'array', minItems: 1, maxItems: 3, items: { type: 'string' } },
      picks: { type: 'array', minItems: 2, uniqueItems: true, items: { type: 'string', enum: ['a', 'b'] } },
      numbers: { type: 'array', items: { type: 'number' } },
      ids: { type: 'array', items: { type: 'string' } },
      anything: { type: 'array' },
    });
  });

  it('takes the type the compiler wrote down where the rules name none', () => {
    class Loose {
      @v.IsNotEmpty() name!: string;
      @v.IsDefined() size!: number;
      @v.IsDefined() on!: boolean;
      @v.IsObject() extra!: Record<string, unknown>;
      @v.Allow() whatever: unknown;
      @v.IsDate() when!: Date;
    }
    expect(jsonSchemaOf(Loose)).toEqual({
      type: 'object',
      properties: {
        name: { type: 'string', minLength: 1 },
        size: { type: 'number' },
        on: { type: 'boolean' },
        extra: { type: 'object' },
        whatever: {},
        when: { type: 'string', format: 'date-time' },
      },
      required: ['name', 'size', 'on', 'extra', 'when'],
      additionalProperties: false,
    });
  });

  it('makes optional what has @IsOptional, @ValidateIf or an initialiser, and tells the default', () => {
    class Filter {
      @v.IsInt() limit = 3;
    }
    let made = 0;
    class Options {
      @v.IsOptional() @v.IsInt() page?: number;
      @v.IsInt() size = 20;
      @v.IsArray() @v.IsString({ each: true }) tags: string[] = [];
      @v.IsString() id = `number ${++made}`;
      @v.IsOptional() @v.IsString() nothing: string | null = null;
      @v.ValidateIf((options: Options) => options.size > 5) @v.IsString() why!: string;
      @v.ValidateNested() @Type(() => Filter) filter = new Filter();
      @v.IsObject() lookup = new Map();
    }
    const filter = {
      type: 'object',
      properties: { limit: { type: 'integer', default: 3 } },
      additionalProperties: false,
    };
    expect(jsonSchemaOf(Options)).toEqual({
      type: 'object',
      properties: {
        page: { type: 'integer' },
        size: { type: 'integer', default: 20 },
        tags: { type: 'array', items: { type: 'string' }, default: [] },
        id: { type: 'string' },
        nothing: { type: 'string' },
        why: { type: 'string' },
        filter: { ...filter, default: { limit: 3 } },
        lookup: { type: 'object' },
      },
      additionalProperties: false,
    });
  });

  it('writes nested classes where they are used, and does not merge two classes of one name', () => {
    const item = (() => {
      class Item {
        @v.IsString() sku!: string;
      }
      return Item;
    })();
    class Item {
      @v.IsInt() qty!: number;
    }
    class Order {
      @v.ValidateNested() first!: Item;
      @v.IsArray() @v.ValidateNested({ each: true }) @Type(() => item) rest!: InstanceType<typeof item>[];
    }
    const object = { type: 'object', additionalProperties: false };
    expect(propertiesOf(Order)).toEqual({
      first: { ...object, properties: { qty: { type: 'integer' } }, required: ['qty'] },
      rest: { type: 'array', items: { ...object, properties: { sku: { type: 'string' } }, required: ['sku'] } },
    });
  });

  it('moves only a class that contains itself to $defs, under a name of its own', () => {
    const other = (() => {
      class Tree {
        @v.IsOptional() @v.ValidateNested() @Type(() => Tree) left?: Tree;
      }
      return Tree;
    })();
    class Tree {
      @v.IsArray() @v.ValidateNested({ each: true }) @Type(() => Tree) children!: Tree[];
      @v.IsOptional() @v.ValidateNested() @Type(() => other) binary?: object;
    }
    const schema = jsonSchemaOf(Tree);
    const children = { type: 'array', items: { type: 'object', $ref: '#/$defs/Tree' } };
    const binary = { type: 'object', $ref: '#/$defs/Tree_2' };
    const tree = {
      type: 'object',
      properties: { children, binary },
      required: ['children'],
      additionalProperties: false,
    };
    const left = { type: 'object', $ref: '#/$defs/Tree_2' };
    expect(schema).toEqual({
      ...tree,
      $defs: { Tree: tree, Tree_2: { type: 'object', properties: { left }, additionalProperties: false } },
    });
  });

  it('inherits properties and their descriptions', () => {
    class Page {
      @Describe('Counted from 1') @v.IsInt() page!: number;
      @v.IsOptional() @v.IsString() sort?: string;
    }
    class Search extends Page {
      @v.IsString() query!: string;
    }
    expect(jsonSchemaOf(Search)).toMatchObject({
      properties: {
        query: { type: 'string' },
        page: { type: 'integer', description: 'Counted from 1' },
        sort: { type: 'string' },
      },
      required: ['query', 'page'],
    });
  });

  it('takes descriptions from @Describe, or else from @ApiProperty', () => {
    @Describe('Where to look')
    class Place {
      @ApiProperty({ description: 'Name of the city', example: 'Oslo' }) @v.IsString() city!: string;
      @ApiProperty({ description: 'not this' }) @Describe('but this') @v.IsString() country!: string;
      @ApiProperty({ enum: ['C', 'F'] }) @v.IsString() unit!: string;
      @ApiProperty({ enum: ['wind', 'rain'], isArray: true }) @v.IsArray() parts!: string[];
    }
    class Trip {
      @v.ValidateNested() from!: Place;
      @Describe('The end') @v.ValidateNested() to!: Place;
    }
    expect(jsonSchemaOf(Place)).toMatchObject({
      description: 'Where to look',
      properties: {
        city: { type: 'string', description: 'Name of the city', examples: ['Oslo'] },
        country: { type: 'string', description: 'but this' },
        unit: { type: 'string', enum: ['C', 'F'] },
        parts: { type: 'array', items: { type: 'string', enum: ['wind', 'rain'] } },
      },
    });
    expect(propertiesOf(Trip)).toMatchObject({
      from: { description: 'Where to look' },
      to: { description: 'The end' },
    });
  });

  it('leaves out what class-transformer excludes on the way in', () => {
    class Hidden {
      @v.IsString() seen!: string;
      @Exclude() @v.IsOptional() @v.IsString() internal?: string;
      @Exclude({ toPlainOnly: true }) @v.IsString() alsoSeen!: string;
    }
    expect(Object.keys(propertiesOf(Hidden))).toEqual(['seen', 'alsoSeen']);
  });

  describe('refuses, with the cure,', () => {
    class Bare {
      a!: string;
    }
    class OnlyDescribed {
      @v.IsString() a!: string;
      @Describe('the second') b!: string;
    }
    class NoClass {
      @v.IsArray() @v.ValidateNested({ each: true }) items!: object[];
    }
    class Contradiction {
      @v.IsString() @v.Min(3) a!: string;
    }
    class NoValueLeft {
      @v.IsIn(['a', 'b']) @v.IsNotIn(['a', 'b']) a!: string;
    }
    class Demanding {
      @v.IsString() a: string;
      constructor(source: { a: string }) {
        this.a = source.a;
      }
    }
    class Renamed {
      @Expose({ name: 'user_name' }) @v.IsString() userName!: string;
    }
    class Choice {
      @v.ValidateNested()
      @Type(() => Bare, { discriminator: { property: 'kind', subTypes: [{ value: Bare, name: 'bare' }] } })
      shape!: object;
    }
    class Circular {
      @v.ValidateNested()
      @Type(() => {
        throw new ReferenceError('Cannot access before initialization');
      })
      part!: object;
    }

    it.each([
      [Bare, /the class Bare describes no property/, /@IsString\(\)/],
      [OnlyDescribed, /OnlyDescribed\.b is described, but has no rule/, /@Allow\(\)/],
      [NoClass, /NoClass\.items has @ValidateNested, but its class is not known/, /@Type\(\(\) => Item\)/],
      [Contradiction, /the rules of Contradiction\.a contradict each other/, /Drop one/],
      [NoValueLeft, /the rules of NoValueLeft\.a contradict each other/, /Drop one/],
      [Demanding, /the constructor of Demanding fails when it gets no arguments/, /no constructor/],
      [Renamed, /Renamed\.userName is exposed by another name, 'user_name'/, /Rename the property/],
      [Choice, /the @Type of Choice\.shape chooses between classes/, /Standard Schema/],
      [Circular, /the function in @Type of Circular\.part fails/, /circular import/],
    ])('%p', (cls, what, cure) => {
      const describe = (): unknown => jsonSchemaOf(cls);
      expect(describe).toThrow(InputDefinitionError);
      expect(describe).toThrow(expect.objectContaining({ what: expect.stringMatching(what) }));
      expect(describe).toThrow(expect.objectContaining({ cure: expect.stringMatching(cure) }));
    });
  });
});
