import { compare } from './comparison.js';
import { reaches } from './estimate.js';
import { summarizeScores, type RowSample } from './score.summary.js';

const rows = (...scores: readonly (readonly number[])[]): RowSample[] =>
  scores.map((each, row) => ({ row, scores: each, failures: 0 }));

const options = { threshold: 1, ks: [1, 2, 3, 5] };

describe('the figures of a scorer', () => {
  it('scores 0, .5, 1, .5: mean .5 and the deviation of the population (spec G-F)', () => {
    const summary = summarizeScores(rows([0], [0.5], [1], [0.5]), options);
    expect(summary.mean.value).toBe(0.5);
    expect(summary.std).toBeCloseTo(Math.sqrt(0.125), 12);
    expect([summary.min, summary.max]).toEqual([0, 1]);
  });

  it('n=5 all pass: pass@1, 3 and 5 are 1; none pass: 0 (spec G-F)', () => {
    const passAt = (scores: readonly number[]): unknown[] =>
      [1, 3, 5].map((k) => summarizeScores(rows(scores), { threshold: 1, ks: [1, 3, 5] }).passAt.get(k)?.value);
    expect(passAt([1, 1, 1, 1, 1])).toEqual([1, 1, 1]);
    expect(passAt([0, 0, 0, 0, 0])).toEqual([0, 0, 0]);
  });

  it('ST-01: two runs tell nothing of pass@5', () => {
    const wrong = summarizeScores(rows([0, 0]), options);
    expect(wrong.passAt.get(5)).toEqual({ value: null, interval: null, rows: 0 });
    expect([wrong.passRate.value, summarizeScores(rows([0, 1]), options).passRate.value]).toEqual([0, 0.5]);
  });

  it('ST-03: failures of the agent are attempts without a score; nothing else is counted for them', () => {
    const samples: RowSample[] = [
      { row: 0, scores: [], failures: 4 },
      { row: 1, scores: [1, 1], failures: 2 },
      ...rows([], [], [1, 1, 1, 1]).slice(2),
    ];
    const summary = summarizeScores(samples, options);
    expect(summary).toMatchObject({ rows: 3, scored: 6, attempts: 12, passes: 6, min: 1, max: 1, std: 0 });
    expect(summary.mean.value).toBe(1);
    expect(summary.passRate.value).toBeCloseTo((0 + 0.5 + 1) / 3, 12);
  });

  it('each row weighs the same in the average of rows, each run in the mean', () => {
    const summary = summarizeScores(rows([1, 1, 1], [0]), options);
    expect([summary.mean.value, summary.averageOfRows.value]).toEqual([0.75, 0.5]);
  });

  it('at least j: the share of rows of which j runs passed, among rows with so many', () => {
    const { atLeast } = summarizeScores(rows([1, 1], [1, 0], [0, 0], [1]), options);
    expect([...atLeast].map(([j, { value, rows: count }]) => [j, value, count])).toEqual([
      [1, 0.75, 4],
      [2, 1 / 3, 3],
    ]);
  });

  it.each([
    ['nothing', []],
    ['rows without scores', rows([], [])],
  ])('ST-09: of %s there is no figure, and none is NaN', (_name, samples) => {
    const summary = summarizeScores(samples, options);
    expect(summary).toMatchObject({ scored: 0, std: null, min: null, max: null });
    expect(summary.mean).toEqual({ value: null, interval: null, rows: 0 });
    expect(summary.passRate).toEqual({ value: null, interval: null, rows: 0 });
  });

  it('ST-09: one row, and equal scores', () => {
    expect(summarizeScores(rows([0.5]), options)).toMatchObject({ std: 0, mean: { value: 0.5, interval: null } });
    expect(summarizeScores(rows([2], [2], [2]), options)).toMatchObject({
      std: 0,
      mean: { value: 2, interval: { low: 2, high: 2 } },
    });
  });

  it('does not claim certainty when all rows pass', () => {
    const { passRate } = summarizeScores(rows([1], [1], [1], [1], [1]), options);
    expect(passRate.value).toBe(1);
    expect(passRate.interval?.method).toBe('wilson');
    expect(passRate.interval?.low).toBeCloseTo(0.5655, 4);
  });

  it('does not claim certainty when all rows pass equally often', () => {
    const samples = [0, 1, 2, 3, 4, 5].map((row) => ({ row, scores: [1, 1, 0], failures: 0 }));
    const { passRate } = summarizeScores(samples, { threshold: 1, ks: [] });
    expect(passRate.value).toBeCloseTo(2 / 3);
    expect(passRate.interval).toMatchObject({ method: 'wilson' });
    expect(passRate.interval?.low).toBeLessThan(0.4);
  });

  it('ST-11: rows whose runs all got the same reward have nothing to learn from', () => {
    const summary = summarizeScores(rows([1, 1], [0, 0], [0, 1], [1]), options);
    expect([summary.constantRows, summary.repeatedRows]).toEqual([2, 3]);
  });
});

describe('ST-06: scores and thresholds', () => {
  it.each([
    [0.1 + 0.2, 0.3, true],
    [0.3, 0.1 + 0.2, true],
    [0.7966, 0.8, false],
    [2 / 3, 0.67, false],
    [(0 + 0 + 0 + 1 + 2) / 3, 1, true],
    [(0 + 0 + 0 + 0 + 3) / 3, 1, true],
    [0.1 * 6, 0.6, true],
    [1 - 1e-6, 1, false],
  ])('%d reaches %d: %s', (value, threshold, expected) => expect(reaches(value, threshold)).toBe(expected));

  it('a threshold of 0 does not turn failed runs into passes', () => {
    const summary = summarizeScores([{ row: 0, scores: [], failures: 2 }], { threshold: 0, ks: [] });
    expect(summary).toMatchObject({ attempts: 2, passes: 0, passRate: { value: 0 } });
  });
});

describe('comparing row by row', () => {
  it('gives the differences with intervals, and the rows that flipped', () => {
    const comparison = compare(rows([1], [1], [0], [1], [0]), rows([0], [1], [1], [0], [0]), options);
    expect(comparison).toMatchObject({ gained: [0, 3], lost: [2], passDifference: { value: 0.2, rows: 5 } });
    expect(comparison.passDifference.interval?.method).toBe('agresti-min');
  });

  it('does not claim certainty when all rows differ alike', () => {
    const better = [0, 1, 2].map((row) => ({ row, scores: [1, 1], failures: 0 }));
    const half = [0, 1, 2].map((row) => ({ row, scores: [1, 0], failures: 0 }));
    const { passDifference } = compare(better, half, { threshold: 1 });
    expect(passDifference).toMatchObject({ value: 0.5, interval: { method: 'agresti-min' } });
    expect(passDifference.interval?.low).toBeLessThan(0.1);
  });

  it('a row is solved when more than half of its attempts pass', () => {
    expect(compare(rows([1, 0], [1, 1, 0]), rows([0, 0], [1, 0, 0]), options)).toMatchObject({ gained: [1], lost: [] });
  });

  it('pairing tells a small steady gain from rows that differ much', () => {
    const hardness = Array.from({ length: 40 }, (_, index) => index / 40);
    const better = hardness.map((value, index) => value + 0.01 + (index % 2) * 0.01);
    const { meanDifference } = compare(
      rows(...better.map((value) => [value])),
      rows(...hardness.map((value) => [value])),
      options,
    );
    expect(meanDifference.value).toBeCloseTo(0.015, 12);
    expect(meanDifference.interval?.low).toBeGreaterThan(0.01);
  });

  it('looks at rows that both have, and at nothing else', () => {
    const theirs: RowSample[] = [
      { row: 1, scores: [0], failures: 0 },
      { row: 9, scores: [1], failures: 0 },
    ];
    expect(compare(rows([1], [1]), theirs, options).meanDifference).toMatchObject({ value: 1, rows: 1 });
    expect(compare(rows([1]), [], options).meanDifference).toEqual({ value: null, interval: null, rows: 0 });
  });
});
