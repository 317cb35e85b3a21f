import { IsNumber } from 'class-validator';
import { z } from 'zod';
import { InputDefinitionError } from './input-definition.error.js';
import { NO_INPUT, toolInputOf } from './tool-input.js';

/** A library of its own that follows the standard and tells no JSON Schema, or tells it in the older ways. */
function standard(validate: (value: unknown) => unknown, more: object = {}): object {
  return { '~standard': { version: 1, vendor: 'test', validate }, ...more };
}

describe('the input of a tool', () => {
  it('may be described by a class', async () => {
    class Operands {
      @IsNumber() a!: number;
    }
    const check = await toolInputOf(Operands).check({ a: 1 });
    expect(check.ok && check.value).toBeInstanceOf(Operands);
  });

  it('may be described by a JSON Schema', async () => {
    const input = toolInputOf({ type: 'object', required: ['a'] });
    expect(await input.check({})).toEqual({ ok: false, faults: [{ path: 'a', message: 'is required' }] });
  });

  it('TC-22: takes no arguments when the tool has no parameter', () => {
    expect(NO_INPUT.schema).toEqual({ type: 'object', properties: {}, additionalProperties: false });
    expect(NO_INPUT.check({})).toEqual({ ok: true, value: {} });
    const faults = [{ path: 'a', message: 'is not known; known: none' }];
    expect(NO_INPUT.check({ a: 1 })).toEqual({ ok: false, faults });
  });

  describe('described by a Standard Schema', () => {
    const order = z.strictObject({
      items: z.array(z.strictObject({ sku: z.string(), qty: z.int().min(1) })),
      note: z.string().default('none'),
    });

    it('tells the JSON Schema of what goes in', () => {
      expect(toolInputOf(order).schema).toMatchObject({
        type: 'object',
        properties: { items: { type: 'array', items: { required: ['sku', 'qty'] } }, note: { default: 'none' } },
        required: ['items'],
      });
    });

    it('hands on what the schema makes of the arguments', async () => {
      const value = { items: [{ sku: 'a', qty: 1 }], note: 'none' };
      expect(await toolInputOf(order).check({ items: [{ sku: 'a', qty: 1 }] })).toEqual({ ok: true, value });
    });

    it('TC-22: gives its issues a path', async () => {
      const check = await toolInputOf(order).check({
        items: [
          { sku: 'a', qty: 0 },
          { sku: 'b', qty: 1, qtty: 2 },
        ],
      });
      expect(check).toEqual({
        ok: false,
        faults: [
          { path: 'items[0].qty', message: expect.stringContaining('>=1') },
          { path: 'items[1]', message: expect.stringContaining('qtty') },
        ],
      });
    });

    it('may check asynchronously', async () => {
      const schema = z.object({ id: z.string().refine(async (id) => id === 'known', 'nobody has this id') });
      const faults = [{ path: 'id', message: 'nobody has this id' }];
      expect(await toolInputOf(schema).check({ id: 'x' })).toEqual({ ok: false, faults });
      expect(await toolInputOf(schema).check({ id: 'known' })).toEqual({ ok: true, value: { id: 'known' } });
    });

    it('may name the steps of a path by objects', async () => {
      const issues = [{ message: 'too small', path: [{ key: 'items' }, { key: 0 }, 'qty'] }, { message: 'wrong' }];
      const input = toolInputOf({ schema: standard(() => ({ issues })), jsonSchema: {} });
      const faults = [
        { path: 'items[0].qty', message: 'too small' },
        { path: '', message: 'wrong' },
      ];
      expect(await input.check({})).toEqual({ ok: false, faults });
    });

    it('names at most 20 faults', async () => {
      const issues = Array.from({ length: 50 }, () => ({ message: 'wrong' }));
      const check = await toolInputOf({ schema: standard(() => ({ issues })), jsonSchema: {} }).check({});
      expect(!check.ok && check.faults).toHaveLength(20);
    });

    it('TC-09: never sees a number that is not finite', async () => {
      const validate = jest.fn((value: unknown) => ({ value }));
      const check = await toolInputOf({ schema: standard(validate), jsonSchema: {} }).check({ a: Infinity });
      expect(check).toEqual({ ok: false, faults: [{ path: 'a', message: 'must be a finite number' }] });
      expect(validate).not.toHaveBeenCalled();
    });

    it.each(['toJSONSchema', 'toJsonSchema'])('may tell its JSON Schema by %s()', (method) => {
      const source = standard((value) => ({ value }), { [method]: () => ({ type: 'object', title: 'mine' }) });
      expect(toolInputOf(source).schema).toMatchObject({ title: 'mine' });
    });

    it('may be a function', () => {
      const source = Object.assign(
        () => {},
        standard((value) => ({ value })),
        { toJsonSchema: () => ({}) },
      );
      expect(toolInputOf(source).schema).toEqual({ type: 'object', properties: {} });
    });

    it('is refused when there is no JSON Schema to be had', () => {
      expect(() => toolInputOf(standard((value) => ({ value })))).toThrow(/cannot tell its JSON Schema.*jsonSchema/);
      expect(() => toolInputOf(z.object({ at: z.date() }))).toThrow(/JSON Schema of the input cannot be made: .*Date/);
      expect(() => toolInputOf(z.string())).toThrow(/has the type "string"/);
    });
  });

  it.each([
    [Object, /lost at run time: interfaces/],
    [undefined, /is undefined at run time/],
    [String, /has the type String/],
    [Array, /has the type Array/],
    [Map, /has the type Map/],
    [() => {}, /of the type function/],
    ['text', /of the type string/],
    [[], /of the type list/],
    [new Date(), /of the type object/],
  ])('cannot be described by %p', (source, what) => {
    expect(() => toolInputOf(source)).toThrow(InputDefinitionError);
    expect(() => toolInputOf(source)).toThrow(what);
    expect(() => toolInputOf(source)).toThrow(/Make the parameter a class/);
  });
});
