import { laxBool, laxFloat, laxInt, type Checked } from './lax-values.js';

/** The value, or the type of the fault. */
function outcome<Value>(checked: Checked<Value>): Value | string {
  return 'value' in checked ? checked.value : checked.type;
}

// Every expectation below was observed on pydantic 2.12.
describe('lax values, as the reference converts them (spec 1.2)', () => {
  it.each<readonly [unknown, unknown]>([
    [5, 5],
    [5.0, 5],
    [-0, 0],
    [true, 1],
    [false, 0],
    ['5', 5],
    [' 5\u00a0', 5],
    ['+5', 5],
    ['-05', -5],
    ['1_000', 1000],
    ['1_0.00', 10],
    ['0'.repeat(5000), 0],
    [5.5, 'int_from_float'],
    [1e-5, 'int_from_float'],
    ...['x', '', '   ', '5.', '.0', '5.5', '1e2', '0x5', '1__0', '_1', '1_', '--1', '+', '1.0_0', '\u001c5', '１'].map(
      (text) => [text, 'int_parsing'] as const,
    ),
    ['1'.repeat(4301), 'int_parsing_size'],
    [null, 'int_type'],
    [[1], 'int_type'],
    [{}, 'int_type'],
  ])('int %j → %j', (input, expected) => {
    expect(outcome(laxInt(input))).toBe(expected);
  });

  it('an integer that no JavaScript number holds becomes the nearest safe one', () => {
    expect(outcome(laxInt('100000000000000000000'))).toBe(Number.MAX_SAFE_INTEGER);
    expect(outcome(laxInt(-9e18))).toBe(Number.MIN_SAFE_INTEGER);
  });

  it('only the source tells a huge integer from a float', () => {
    expect(outcome(laxInt(1e20, () => '100000000000000000000'))).toBe(Number.MAX_SAFE_INTEGER);
    expect(outcome(laxInt(1e20, () => '1e20'))).toBe('int_parsing_size');
    expect(outcome(laxInt(Infinity, () => `1${'0'.repeat(400)}`))).toBe(Number.MAX_SAFE_INTEGER);
    expect(outcome(laxInt(Infinity, () => '1e400'))).toBe('finite_number');
    expect(outcome(laxInt(NaN))).toBe('finite_number');
  });

  it('does not ask for the source of a number that tells itself', () => {
    const source = jest.fn();
    [5, 5.5, 2 ** 60, '5', true].forEach((input) => laxInt(input, source));
    expect(source).not.toHaveBeenCalled();
  });

  it.each<readonly [unknown, unknown]>([
    [1, 1],
    [true, 1],
    ['1e3', 1000],
    [' 1.5 ', 1.5],
    ['1_0', 10],
    ['.5', 0.5],
    ['1.', 1],
    ['1e400', Infinity],
    ['-Inf', -Infinity],
    ['+infinity', Infinity],
    ['NaN', NaN],
    ...['', '0x1', '1__0', '_1', '1e', 'infinit', '１'].map((text) => [text, 'float_parsing'] as const),
    [null, 'float_type'],
    [[], 'float_type'],
  ])('float %j → %j', (input, expected) => {
    expect(outcome(laxFloat(input))).toBe(expected);
  });

  it.each<readonly [unknown, unknown]>([
    [true, true],
    [0, false],
    [1.0, true],
    ...['true', 'T', 'YES', 'y', 'on', '1'].map((word) => [word, true] as const),
    ...['false', 'f', 'No', 'n', 'off', '0'].map((word) => [word, false] as const),
    ...[2, -1, '2', 'maybe', '', ' true'].map((input) => [input, 'bool_parsing'] as const),
    ...[null, [], {}, 0.5, 1e20].map((input) => [input, 'bool_type'] as const),
  ])('bool %j → %j', (input, expected) => {
    expect(outcome(laxBool(input))).toBe(expected);
  });
});
