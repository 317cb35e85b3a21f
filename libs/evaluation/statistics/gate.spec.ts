import { judgeGate, parseGate } from './gate.js';

const estimate = (value: number, low: number, high: number) =>
  ({ value, rows: 9, interval: { low, high, method: 'wilson' } }) as const;

describe('gates', () => {
  it.each([
    ['pass@1>=0.8', { metric: 'pass@', k: 1, comparison: '>=', limit: 0.8, scorer: undefined }],
    ['pass^3 > 50%', { metric: 'pass^', k: 3, comparison: '>', limit: 0.5, scorer: undefined }],
    ['exact.mean>-.5', { metric: 'mean', comparison: '>', limit: -0.5, scorer: 'exact' }],
    ['src/score.ts:fn.avg < 1e-2', { metric: 'avg', comparison: '<', limit: 0.01, scorer: 'src/score.ts:fn' }],
    ['error_rate<=5%', { metric: 'error_rate', comparison: '<=', limit: 0.05, scorer: undefined }],
    ['atleast@2>=0.9', { metric: 'atleast@', k: 2, comparison: '>=', limit: 0.9 }],
  ])('%s', (text, expected) => expect(parseGate(text)).toMatchObject(expected));

  it.each(['', 'pass@1', 'pass@0>=1', 'pass>=1', 'mean=1', 'mean>=x', 'mean>>1', '>=0.8'])('%j is none', (text) => {
    expect(() => parseGate(text)).toThrow(/cannot be read\. Write .*pass@1>=0\.8/);
  });

  it.each([
    ['mean>=0.7', estimate(0.8, 0.7, 0.9), true, 0.7],
    ['mean>=0.75', estimate(0.8, 0.7, 0.9), false, 0.7],
    ['mean>0.7', estimate(0.8, 0.7, 0.9), false, 0.7],
    ['mean<=0.9', estimate(0.8, 0.7, 0.9), true, 0.9],
    ['mean<0.85', estimate(0.8, 0.7, 0.9), false, 0.9],
    ['mean>=0.3', estimate(0.3, 0.1 * 3 - 1e-13, 0.5), true, 0.1 * 3 - 1e-13],
  ])('%s is held against the bound of the interval, not the value', (text, given, passed, bound) => {
    expect(judgeGate(parseGate(text), given)).toMatchObject({ passed, bound });
  });

  it('a figure without an interval passes no gate', () => {
    const none = { value: 1, interval: null, rows: 1 };
    expect(judgeGate(parseGate('mean>=0'), none)).toMatchObject({ passed: false, bound: null });
    expect(judgeGate(parseGate('mean<=9'), none)).toMatchObject({ passed: false, bound: null });
  });
});
