import { Transform, Type } from 'class-transformer';
import * as v from 'class-validator';
import { classInput } from './class-input.js';
import type { InputCheck } from './tool-input.types.js';

/** A rule that JSON Schema cannot say. */
const IsEven = (): PropertyDecorator =>
  v.ValidateBy({
    name: 'isEven',
    validator: {
      validate: async (value) => typeof value === 'number' && value % 2 === 0,
      defaultMessage: () => '$property must be even',
    },
  });

class Item {
  @v.IsString() sku!: string;
  @v.IsInt() @v.Min(1) qty!: number;

  get label(): string {
    return `${this.qty} × ${this.sku}`;
  }
}

class Order {
  @v.IsString() customer!: string;
  @v.IsArray() @v.ValidateNested({ each: true }) @Type(() => Item) items!: Item[];
  @v.IsOptional() @v.ValidateNested() @Type(() => Item) gift?: Item;
  @v.IsInt() priority = 3;
}

/** The same, with one rule more: class-validator is asked as well. */
class MailedOrder extends Order {
  @v.IsEmail() mail!: string;
}

async function faultsOf(cls: new () => object, args: Record<string, unknown>): Promise<string[]> {
  const check = await classInput(cls).check(args);
  return check.ok ? [] : check.faults.map(({ path, message }) => `${path}: ${message}`);
}

async function valueOf<Value extends object>(cls: new () => Value, args: Record<string, unknown>): Promise<Value> {
  const check: InputCheck = await classInput(cls).check(args);
  if (!check.ok) throw new Error(JSON.stringify(check.faults));
  return check.value as Value;
}

describe.each([
  ['rules that JSON Schema can say', Order, {}],
  ['rules that need class-validator', MailedOrder, { mail: 'a@example.com' }],
])('checking arguments by a class with %s', (_, cls, more) => {
  const order = { customer: 'Ann', items: [{ sku: 'a', qty: 2 }], ...more };

  it('hands on instances at every level, with defaults', async () => {
    const value = await valueOf<Order>(cls, order);
    expect(value).toBeInstanceOf(cls);
    expect(value.items[0]).toBeInstanceOf(Item);
    expect(value.items[0]?.label).toBe('2 × a');
    expect(value.priority).toBe(3);
  });

  it('TC-07: no arguments name every missing one', async () => {
    const faults = await faultsOf(cls, {});
    expect(faults).toEqual(expect.arrayContaining(['customer: is required', 'items: is required']));
  });

  it('TC-22: refuses unknown keys at every depth, with path and the known ones', async () => {
    const args = { ...order, limt: 3, items: [{ sku: 'a', qty: 1, qtty: 2 }], gift: { sku: 'b', qty: 1, '': 0 } };
    const faults = await faultsOf(cls, args);
    expect(faults).toHaveLength(3);
    expect(faults).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^limt: is not known; known: .*customer/),
        'items[0].qtty: is not known; known: sku, qty',
        'gift[""]: is not known; known: sku, qty',
      ]),
    );
  });

  it('does not convert types', async () => {
    expect(await faultsOf(cls, { ...order, items: [{ sku: 5, qty: '2' }], priority: true })).toEqual([
      'items[0].sku: must be a string',
      'items[0].qty: must be an integer',
      'priority: must be an integer',
    ]);
  });

  it('takes null for an optional property as absent, and for no other', async () => {
    const value = await valueOf<Order>(cls, { ...order, gift: null, priority: null });
    expect(value.gift).toBeUndefined();
    expect(value.priority).toBe(3);
    expect(await faultsOf(cls, { ...order, customer: null })).toEqual(['customer: must be a string']);
  });

  it('refuses an object where a list is due, and the other way round', async () => {
    expect(await faultsOf(cls, { ...order, items: { sku: 'a', qty: 1 }, gift: [] })).toEqual([
      'items: must be an array',
      'gift: must be an object',
    ]);
  });

  it('TC-09: lets no number through that is not finite', async () => {
    const args = JSON.parse('{"customer":"Ann","items":[{"sku":"a","qty":1e999}]}') as Record<string, unknown>;
    expect(await faultsOf(cls, { ...args, ...more })).toEqual(['items[0].qty: must be a finite number']);
  });

  it('is not fooled by the keys that every object has', async () => {
    const text = '{"__proto__":{"customer":"Eve"},"constructor":{"prototype":{"polluted":true}},"items":[]}';
    const faults = await faultsOf(cls, { ...JSON.parse(text), ...more });
    const hostile = JSON.parse(text) as Record<string, unknown>;
    expect(faults).toContain('customer: is required');
    expect(await faultsOf(cls, hostile)).toEqual(
      expect.arrayContaining([expect.stringMatching(/^__proto__: is not known/)]),
    );
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('leaves the arguments as they were', async () => {
    const args = { ...order, gift: null };
    const before = JSON.stringify(args);
    await valueOf<Order>(cls, args);
    expect(JSON.stringify(args)).toBe(before);
  });

  it('names at most 20 faults', async () => {
    const items = Array.from({ length: 100 }, () => ({}));
    expect(await faultsOf(cls, { ...order, items })).toHaveLength(20);
  });
});

describe('checking arguments by a class', () => {
  it('answers at once when JSON Schema can say every rule, and gives a promise else', () => {
    expect(classInput(Order).check({})).not.toBeInstanceOf(Promise);
    expect(classInput(MailedOrder).check({})).toBeInstanceOf(Promise);
  });

  it('words the faults of class-validator like its own', async () => {
    class Part {
      @IsEven() size!: number;
    }
    class Mixed {
      @v.IsEmail() mail!: string;
      @v.IsEmail({}, { each: true }) copies!: string[];
      @v.ArrayUnique((name: string) => name.toLowerCase()) @v.IsString({ each: true }) names!: string[];
      @v.Min(1, { message: 'pages start at 1' }) @v.IsInt() page!: number;
      @v.ValidateNested({ each: true }) @Type(() => Part) parts!: Part[];
    }
    const args = { mail: 'nobody', copies: ['x'], names: ['a', 'A'], page: 0, parts: [{ size: 2 }, { size: 3 }] };
    expect(await faultsOf(Mixed, args)).toEqual([
      'mail: must be an email',
      'copies: each item must be an email',
      'names: its items must be unique',
      'page: pages start at 1',
      'parts[1].size: must be even',
    ]);
    expect(await faultsOf(Mixed, { ...args, mail: 5, page: 'x' })).toEqual([
      'mail: must be a string',
      'page: must be an integer',
    ]);
  });

  it('tells decimal places by the decimals', async () => {
    class Price {
      @v.IsNumber({ maxDecimalPlaces: 2 }) amount!: number;
    }
    for (const amount of [0.07, 1.1, 4.35, -0.29, 123456789.12, 1e21]) {
      expect(await faultsOf(Price, { amount })).toEqual([]);
    }
    for (const amount of [0.071, 1e-7, 4.350000001]) {
      expect(await faultsOf(Price, { amount })).toEqual(['amount: must be a multiple of 0.01']);
    }
  });

  it('words bounds, lengths, values and items', async () => {
    class Bounds {
      @v.Min(1) low!: number;
      @v.Max(1) high!: number;
      @v.IsPositive() above!: number;
      @v.IsNegative() below!: number;
      @v.IsDivisibleBy(5) fives!: number;
      @v.IsNotEmpty() filled!: string;
      @v.MinLength(3) long!: string;
      @v.MaxLength(1) short!: string;
      @v.Matches(/^\d+$/) digits!: string;
      @v.IsIn(['a', 'b']) choice!: string;
      @v.NotEquals(0) divisor!: number;
      @v.ArrayMinSize(1) some!: unknown[];
      @v.ArrayMaxSize(1) few!: unknown[];
      @v.IsBoolean() on!: boolean;
    }
    const args = {
      ...{ low: 0, high: 2, above: 0, below: 0, fives: 3, filled: '', long: 'ab', short: 'ab', digits: 'x' },
      ...{ choice: 5, divisor: 0, some: [], few: [1, 2], on: 'true' },
    };
    expect(await faultsOf(Bounds, args)).toEqual([
      'low: must be at least 1',
      'high: must be at most 1',
      'above: must be greater than 0',
      'below: must be less than 0',
      'fives: must be a multiple of 5',
      'filled: must not be empty',
      'long: must have at least 3 characters',
      'short: must have at most 1 characters',
      'digits: must match the pattern ^\\d+$',
      'choice: must be one of "a", "b"',
      'divisor: must not be one of 0',
      'some: must have at least 1 item',
      'few: must have at most 1 item',
      'on: must be a boolean',
    ]);
  });

  it('takes only the numbers of a numeric enum, not its names', async () => {
    enum Level {
      Low,
      High,
    }
    class Leveled {
      @v.IsEnum(Level) level!: Level;
    }
    expect(await faultsOf(Leveled, { level: 1 })).toEqual([]);
    expect(await faultsOf(Leveled, { level: 'Low' })).toEqual(['level: must be one of 0, 1']);
  });

  it('keeps null where the rules name it', async () => {
    class Maybe {
      @v.IsOptional() @v.IsIn(['x', null]) a: string | null = 'x';
    }
    expect((await valueOf(Maybe, { a: null })).a).toBeNull();
    expect((await valueOf(Maybe, {})).a).toBe('x');
  });

  it('checks recursive classes, and refuses what is nested without end', async () => {
    class Tree {
      @v.IsString() name!: string;
      @v.IsOptional() @v.IsArray() @v.ValidateNested({ each: true }) @Type(() => Tree) children?: Tree[];
      @v.IsOptional() @v.ValidateNested() @Type(() => Tree) next?: Tree;
    }
    const value = await valueOf(Tree, { name: 'a', children: [{ name: 'b', children: [] }], next: null });
    expect(value.children?.[0]).toBeInstanceOf(Tree);
    expect(await faultsOf(Tree, { name: 'a', children: [{ name: 'b', next: { nme: 'c' } }] })).toEqual([
      'children[0].next.name: is required',
      'children[0].next.nme: is not known; known: name, children, next',
    ]);
    let deep: Record<string, unknown> = { name: 'end' };
    for (let depth = 0; depth < 5000; depth++) deep = { name: 'a', next: deep };
    expect(await faultsOf(Tree, deep)).toEqual([': must not be nested deeper than 990 levels']);
  });

  it('applies @Transform before the rules, and tells the model when it fails', async () => {
    class Trimmed {
      @Transform(({ value }) => (value as string).trim()) @v.IsString() @v.MinLength(2) name!: string;
      @v.IsOptional() @v.IsInt() size?: number;
    }
    expect((await valueOf(Trimmed, { name: '  Ann ' })).name).toBe('Ann');
    expect(await faultsOf(Trimmed, { name: ' A ' })).toEqual(['name: must be longer than or equal to 2 characters']);
    expect(await faultsOf(Trimmed, { name: 5 })).toEqual([expect.stringMatching(/^name: cannot be used: .*trim/)]);
    expect(await faultsOf(Trimmed, { name: 'Ann', size: '5' })).toEqual(['size: must be an integer']);
  });

  it('asks @ValidateIf, and even then takes no unknown keys', async () => {
    class Payment {
      @v.IsIn(['card', 'cash']) by!: string;
      @v.ValidateIf((payment: Payment) => payment.by === 'card') @v.ValidateNested() @v.IsDefined() card?: Item;
    }
    expect(await faultsOf(Payment, { by: 'cash' })).toEqual([]);
    expect(await faultsOf(Payment, { by: 'card' })).toEqual(['card: should not be null or undefined']);
    expect(await faultsOf(Payment, { by: 'card', card: { sku: 'a', qty: 0 } })).toEqual([
      'card.qty: must not be less than 1',
    ]);
    expect(await faultsOf(Payment, { by: 'cash', card: { sku: 'a', qty: 1, pin: 1 } })).toEqual([
      'card.pin: is not known; known: sku, qty',
    ]);
  });

  it('hands on dates as Date, and takes only ISO 8601', async () => {
    class Span {
      @v.IsDate() from!: Date;
      @v.IsOptional() @v.IsDate({ each: true }) @Type(() => Date) stops?: Date[];
    }
    const value = await valueOf(Span, { from: '2025-01-31T12:00:00Z', stops: ['2025-02-01'] });
    expect(value).toEqual({ from: new Date('2025-01-31T12:00:00Z'), stops: [new Date('2025-02-01')] });
    expect(await faultsOf(Span, { from: 'soon 2', stops: [5] })).toEqual(['stops[0]: must be a string']);
    expect(await faultsOf(Span, { from: 'soon 2', stops: ['2025-13-01'] })).toEqual([
      'from: must be a date like 2025-01-31T12:00:00Z',
      'stops[0]: must be a date like 2025-01-31T12:00:00Z',
    ]);
  });

  it('keeps fields without a decorator out of reach of the model, and in working order', async () => {
    class Cached {
      @v.IsEmail() mail!: string;
      private readonly seen = new Set<string>();
      remember(): number {
        return this.seen.add(this.mail).size;
      }
    }
    expect((await valueOf(Cached, { mail: 'a@example.com' })).remember()).toBe(1);
    expect(await faultsOf(Cached, { mail: 'a@example.com', seen: [] })).toEqual(['seen: is not known; known: mail']);
  });

  it('rejects when a validator of the user throws', async () => {
    class Broken {
      @v.ValidateBy({
        name: 'lookup',
        validator: {
          validate: async () => {
            throw new Error('no database');
          },
        },
      })
      id!: string;
    }
    await expect(classInput(Broken).check({ id: 'x' })).rejects.toThrow('no database');
  });
});
