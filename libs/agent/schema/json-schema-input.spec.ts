import { InputDefinitionError } from './input-definition.error.js';
import { jsonSchemaInput } from './json-schema-input.js';
import type { InputCheck } from './tool-input.types.js';

async function faultsOf(schema: Record<string, unknown>, args: Record<string, unknown>): Promise<string[]> {
  const check: InputCheck = await jsonSchemaInput(schema).check(args);
  return check.ok ? [] : check.faults.map(({ path, message }) => `${path}: ${message}`);
}

describe('a JSON Schema as a tool input', () => {
  const search = {
    title: 'Search',
    properties: {
      query: { type: 'string', 'x-hint': 'short' },
      limit: { type: 'integer', minimum: 1, default: 10 },
      mail: { type: 'string', format: 'email' },
    },
    required: ['query'],
    additionalProperties: false,
  };

  it('is kept whole, as a frozen copy that says it is of an object', () => {
    const { schema } = jsonSchemaInput(search);
    expect(schema).toEqual({ ...search, type: 'object' });
    expect(schema['properties']).not.toBe(search.properties);
    expect(Object.isFrozen(schema['properties'])).toBe(true);
    expect(jsonSchemaInput({}).schema).toEqual({ type: 'object', properties: {} });
  });

  it('checks, and hands the arguments on as they are', () => {
    const args = { query: 'x' };
    const check = jsonSchemaInput(search).check(args) as InputCheck;
    expect(check).toEqual({ ok: true, value: { query: 'x' } });
    expect(check.ok && check.value).toBe(args);
  });

  it('finds every fault, with its path', async () => {
    expect(await faultsOf(search, { limit: 0, mail: 'x', limt: 1 })).toEqual([
      'query: is required',
      'limt: is not known; known: query, limit, mail',
      'limit: must be at least 1',
      'mail: must be of the format email',
    ]);
  });

  it('TC-09: refuses numbers that are not finite, also where the schema says nothing', async () => {
    expect(await faultsOf({}, { free: { a: [1, Infinity], b: NaN } })).toEqual([
      'free.a[1]: must be a finite number',
      'free.b: must be a finite number',
    ]);
  });

  it('tells an item from a key, and quotes odd keys', async () => {
    const inner = { type: 'object', additionalProperties: { type: 'string' } };
    const schema = { properties: { list: { items: inner }, map: { additionalProperties: inner } } };
    const args = { list: [{ '0': 1 }], map: { 'a b': { 'x/y~z': 1 }, '0': { k: 1 } } };
    expect(await faultsOf(schema, args)).toEqual([
      'list[0]["0"]: must be a string',
      'map["0"].k: must be a string',
      'map["a b"]["x/y~z"]: must be a string',
    ]);
  });

  it('cuts keys of any length', async () => {
    const faults = await faultsOf({ additionalProperties: false }, { ['k'.repeat(10_000)]: 1 });
    expect(faults[0]?.length).toBeLessThan(200);
  });

  it('sums up a choice in one fault', async () => {
    const schema = {
      properties: {
        id: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
        at: { oneOf: [{ $ref: '#/$defs/point' }, { type: 'null' }] },
        n: { oneOf: [{ type: 'number' }, { type: 'integer' }] },
        tags: { contains: { const: 'x' } },
        both: { type: 'string', anyOf: [{ minLength: 3 }, { pattern: '^a' }] },
      },
      $defs: { point: { type: 'object', required: ['x'] } },
    };
    expect(await faultsOf(schema, { id: true, at: {}, n: 1, tags: ['y', 'z'], both: 'b' })).toEqual([
      'id: must be a string or must be an integer',
      'at: at.x is required or must be null',
      'n: fits more than one of its forms',
      'tags: must contain at least 1 valid item(s)',
      'both: must have at least 3 characters or must match the pattern ^a',
    ]);
  });

  it('words conditions, dependencies, names and constants', async () => {
    const schema = {
      properties: { kind: { const: 'a' }, map: { propertyNames: { pattern: '^[a-z]+$' } } },
      dependentRequired: { user: ['password'] },
      if: { required: ['user'] },
      then: { required: ['realm'] },
      unevaluatedProperties: { type: 'string' },
    };
    expect(await faultsOf(schema, { kind: 'b', map: { X: 1 }, user: 'u' })).toEqual([
      'realm: is required',
      'kind: must be "a"',
      'map: the name "X" must match the pattern ^[a-z]+$',
      'password: is required next to user',
    ]);
  });

  it('is read as the draft that its $schema names', async () => {
    const tuple = { properties: { pair: { items: [{ type: 'string' }], additionalItems: false } } };
    const draft7 = { $schema: 'http://json-schema.org/draft-07/schema#', ...tuple };
    expect(await faultsOf(draft7, { pair: [1] })).toEqual(['pair[0]: must be a string']);
    const prefix = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      properties: { pair: { prefixItems: [{ type: 'string' }] } },
    };
    expect(await faultsOf(prefix, { pair: [1] })).toEqual(['pair[0]: must be a string']);
    expect(() => jsonSchemaInput(tuple)).toThrow(/2020-12, or as draft-07 when its \$schema says so/);
  });

  it('takes two schemas of one $id', async () => {
    const schemaOf = (type: string) => ({ $id: 'https://example.com/tool', properties: { a: { type } } });
    expect(await faultsOf(schemaOf('string'), { a: 1 })).toEqual(['a: must be a string']);
    expect(await faultsOf(schemaOf('number'), { a: 1 })).toEqual([]);
  });

  it('is not met by what every object inherits', async () => {
    expect(await faultsOf({ required: ['toString'] }, {})).toEqual(['toString: is required']);
  });

  it.each([
    [{ type: 'array', items: {} }, /has the type "array"/],
    [{ type: ['object', 'null'] }, /has the type \["object","null"\]/],
    [{ properties: { a: { type: 'strng' } } }, /cannot be compiled: .*properties\/a\/type/],
    [{ properties: { a: { $ref: '#/$defs/none' } } }, /cannot be compiled: can't resolve reference #\/\$defs\/none/],
    [{ properties: { a: { pattern: '(' } } }, /cannot be compiled: Invalid regular expression/],
    [{ $schema: 'http://json-schema.org/draft-04/schema#' }, /cannot be compiled: .*draft-04/],
    [{ $async: true }, /is marked \$async/],
  ])('refuses %j when it is defined', (schema, what) => {
    expect(() => jsonSchemaInput(schema)).toThrow(InputDefinitionError);
    expect(() => jsonSchemaInput(schema)).toThrow(what);
  });

  it('refuses a schema that contains itself', () => {
    const schema: Record<string, unknown> = {};
    schema['properties'] = { self: schema };
    expect(() => jsonSchemaInput(schema)).toThrow(/has no JSON form: .*circular/);
  });
});
