import { jsonSafe } from './json-safe.js';

const kinds = (value: unknown): string[] => [...jsonSafe(value).dropped];

describe('jsonSafe (spec 0.3, 8.3)', () => {
  it('gives back the very same value when nothing needs mending', () => {
    const metrics = { a: 1, b: -0.5, c: null, d: true, e: 'text', f: [1, [2, { g: 3 }]], h: {} };
    const safe = jsonSafe(metrics);
    expect(safe.value).toBe(metrics);
    expect(safe.dropped.size).toBe(0);
  });

  it('drops NaN and infinities at any depth; lists shrink', () => {
    const value = { a: NaN, b: [1, Infinity, 2, [-Infinity]], c: { d: NaN, e: 'kept' } };
    expect(jsonSafe(value).value).toEqual({ b: [1, 2, []], c: { e: 'kept' } });
    expect(kinds(value)).toEqual(['NaN', 'Infinity', '-Infinity']);
  });

  it('does not change what it was given', () => {
    const value = { a: NaN, b: [NaN] };
    jsonSafe(value);
    expect(value).toEqual({ a: NaN, b: [NaN] });
  });

  it('numbers and booleans in other clothes become plain', () => {
    expect(jsonSafe({ a: 3n, b: Object(2), c: Object(true), d: Object('x') }).value).toEqual({
      a: 3,
      b: 2,
      c: true,
      d: 'x',
    });
    expect(jsonSafe({ a: 10n ** 400n }).value).toEqual({});
  });

  it('numeric keys become text, other keys go with their values', () => {
    const map = new Map<unknown, unknown>([
      [3, 'three'],
      [1n, 'one'],
      ['name', new Map([[2, 'two']])],
      [NaN, 'gone'],
      [true, 'gone'],
      [null, 'gone'],
    ]);
    expect(jsonSafe(map).value).toEqual({ 3: 'three', 1: 'one', name: { 2: 'two' } });
  });

  it.each([
    [Buffer.from('x')],
    [new Date()],
    [new Set([1])],
    [() => 1],
    [Symbol('s')],
    [undefined],
    [new (class Own {})()],
  ])('drops %p', (value) => {
    expect(jsonSafe({ value, kept: 1 }).value).toEqual({ kept: 1 });
    expect(kinds({ value })).toHaveLength(1);
  });

  it('drops a cycle, but not the same value twice', () => {
    const shared = { a: 1 };
    const cycle: Record<string, unknown> = { one: shared, two: shared };
    cycle['self'] = cycle;
    expect(jsonSafe(cycle).value).toEqual({ one: { a: 1 }, two: { a: 1 } });
  });

  it('objects without a prototype are plain', () => {
    const value = Object.assign(Object.create(null) as object, { a: 1 });
    expect(jsonSafe(value).value).toBe(value);
  });
});
