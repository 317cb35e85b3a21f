import { FieldReader } from './field-checks.js';

const types = (reader: FieldReader): unknown[] => reader.faults.map(({ type, loc }) => [type, loc.join('.')]);

describe('FieldReader', () => {
  it('gives the values of valid fields, and the fallbacks of absent ones', () => {
    const reader = new FieldReader({ s: 'x', i: '5', f: 1, b: 'yes', d: { a: null }, l: [1], m: [{}], n: null });
    expect(reader.string('s')).toBe('x');
    expect(reader.int('i')).toBe(5);
    expect(reader.float('f')).toBe(1);
    expect(reader.bool('b')).toBe(true);
    expect(reader.dict('d')).toEqual({ a: null });
    expect(reader.list('l')).toEqual([1]);
    expect(reader.listOfDicts('m')).toEqual([{}]);
    expect(reader.nullableString('n')).toBeNull();
    expect(reader.nullableFloat('absent')).toBeNull();
    expect(reader.nullableDict('absent')).toBeNull();
    expect(reader.nullableList('absent')).toBeNull();
    expect(reader.string('absent', undefined, 'default')).toBe('default');
    expect(reader.int('absent', 10)).toBe(10);
    expect(reader.dict('absent', {})).toEqual({});
    expect(reader.faults).toEqual([]);
  });

  it('collects all faults in the order of the calls', () => {
    const reader = new FieldReader({ s: 5, n: null, d: [], l: {}, m: [{}, 1, []], i: 'x', f: 'x', b: 'x', k: 5 });
    reader.string('s');
    reader.string('n');
    reader.string('gone');
    reader.dict('d');
    reader.list('l');
    reader.listOfDicts('m');
    reader.int('i');
    reader.int('n', 10);
    reader.float('f');
    reader.bool('b');
    reader.nullableString('k');
    expect(types(reader)).toEqual([
      ['string_type', 'body.s'],
      ['string_type', 'body.n'],
      ['missing', 'body.gone'],
      ['dict_type', 'body.d'],
      ['list_type', 'body.l'],
      ['dict_type', 'body.m.1'],
      ['dict_type', 'body.m.2'],
      ['int_parsing', 'body.i'],
      ['int_type', 'body.n'],
      ['float_parsing', 'body.f'],
      ['bool_parsing', 'body.b'],
      ['string_type', 'body.k'],
    ]);
  });

  it('runs the rule of a text after its type, and says where a nested object stands', () => {
    const rule = (text: string) => (text === 'bad' ? { type: 'value_error', msg: 'Value error, bad' } : null);
    const reader = new FieldReader({ a: 'bad', b: 'good', c: 1 }, { loc: ['body', 'metrics'] });
    reader.string('a', rule);
    reader.string('b', rule);
    reader.string('c', rule);
    expect(types(reader)).toEqual([
      ['value_error', 'body.metrics.a'],
      ['string_type', 'body.metrics.c'],
    ]);
  });

  it('does not take what objects inherit for a field', () => {
    const reader = new FieldReader({});
    reader.string('toString');
    expect(types(reader)).toEqual([['missing', 'body.toString']]);
  });
});
