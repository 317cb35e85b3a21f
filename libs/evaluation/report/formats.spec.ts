import {
  formatBeside,
  formatCost,
  formatDuration,
  formatEstimate,
  formatPercent,
  formatScore,
  formatTokens,
  oneLine,
} from './formats.js';

describe('formats (spec F.4, F.8)', () => {
  it.each([
    [0, '0ms'],
    [123.4, '123ms'],
    [999.4, '999ms'],
    [999.6, '1.0s'],
    [1_500, '1.5s'],
    [59_940, '59.9s'],
    [59_960, '1m0.0s'],
    [125_500, '2m5.5s'],
    [3_600_000, '60m0.0s'],
  ])('a duration of %d ms is %s', (ms, text) => expect(formatDuration(ms)).toBe(text));

  it.each([
    [0, '0'],
    [1_234_567, '1,234,567'],
  ])('%d tokens are %s', (tokens, text) => expect(formatTokens(tokens)).toBe(text));

  it.each([
    [1, '1'],
    [0.5, '0.500'],
    [2 / 3, '0.667'],
    [null, 'N/A'],
  ])('a score of %s is %s', (score, text) => expect(formatScore(score)).toBe(text));

  it('rates, estimates, costs', () => {
    expect(formatPercent(0.8125)).toBe('81.3%');
    const interval = { low: 0.25, high: 1, method: 'wilson' } as const;
    expect(formatEstimate({ value: 0.5, interval, rows: 4 })).toBe('0.500 [0.250, 1]');
    expect(formatEstimate({ value: null, interval: null, rows: 0 })).toBe('N/A');
    expect([formatCost(0.00125), formatCost(12.5)]).toEqual(['$0.0013', '$12.50']);
  });

  it.each([
    [0.7966, 0.8, '0.797'],
    [0.7999, 0.8, '0.7999'],
    [0.67, 2 / 3, '0.670'],
    [0.79999999, 0.8, '0.79999999'],
    [0.8, 0.8, '0.800'],
    [1, 1, '1'],
    [null, 1, 'N/A'],
  ])('ST-06: %s beside a limit of %d shows as %s', (value, limit, text) =>
    expect(formatBeside(value, limit)).toBe(text),
  );

  it('one line, cut at its length', () => {
    expect(oneLine('a\n  b\r\nc')).toBe('a b c');
    expect(oneLine('x'.repeat(50))).toBe('x'.repeat(50));
    expect(oneLine('x'.repeat(51))).toBe(`${'x'.repeat(47)}...`);
  });
});
