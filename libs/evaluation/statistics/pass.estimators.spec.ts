import * as fc from 'fast-check';
import { passAtK, passHatK } from './pass.estimators.js';

/** All ways to choose k of n places. */
function* choices(n: number, k: number, from = 0): Generator<number[]> {
  if (k === 0) yield [];
  else for (let at = from; at <= n - k; at++) for (const rest of choices(n, k - 1, at + 1)) yield [at, ...rest];
}

/** By looking at every choice of k runs out of n, of which the first c passed. */
function byCounting(n: number, c: number, k: number, good: (passes: number) => boolean): number {
  const all = [...choices(n, k)];
  return all.filter((chosen) => good(chosen.filter((run) => run < c).length)).length / all.length;
}

/** Probability of c passes in n runs that each pass with probability p. */
function binomial(n: number, c: number, p: number): number {
  const ways = [...choices(n, c)].length;
  return ways * p ** c * (1 - p) ** (n - c);
}

const counts = fc
  .integer({ min: 1, max: 9 })
  .chain((n) => fc.record({ n: fc.constant(n), c: fc.integer({ min: 0, max: n }), k: fc.integer({ min: 1, max: n }) }));

describe('pass@k', () => {
  it.each([
    [1, 1, 1, 1],
    [1, 0, 1, 0],
    [2, 1, 1, 0.5],
    [2, 1, 2, 1],
    [4, 1, 2, 0.5],
    [4, 0, 4, 0],
    [5, 5, 3, 1],
    [200, 10, 100, 0.99922897],
  ])('of n=%d, c=%d at k=%d is %d (spec 0.3, 8.10)', (n, c, k, expected) => {
    expect(passAtK(n, c, k)).toBeCloseTo(expected, 5);
  });

  it('is the share of all choices of k runs in which one passed', () => {
    fc.assert(
      fc.property(counts, ({ n, c, k }) => {
        expect(passAtK(n, c, k)).toBeCloseTo(
          byCounting(n, c, k, (passes) => passes > 0),
          12,
        );
      }),
    );
  });

  it('is unbiased: over all outcomes of n runs its mean is 1 − (1−p)^k', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), fc.double({ min: 0, max: 1, noNaN: true }), (n, p) => {
        for (let k = 1; k <= n; k++) {
          let expectation = 0;
          for (let c = 0; c <= n; c++) expectation += binomial(n, c, p) * (passAtK(n, c, k) ?? NaN);
          expect(expectation).toBeCloseTo(1 - (1 - p) ** k, 10);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('stays a number for many runs', () => {
    expect(passAtK(100_000, 1, 50_000)).toBeCloseTo(0.5, 9);
    expect(passAtK(100_000, 50_000, 50_000)).toBe(1);
  });

  it.each([
    [2, 0, 5],
    [2, 1, 5],
    [2, 2, 5],
  ])('ST-01: n=%d, c=%d cannot tell pass@%d', (n, c, k) => {
    expect(passAtK(n, c, k)).toBeNull();
    expect(passHatK(n, c, k)).toBeNull();
  });

  it.each([
    [2, 3, 1],
    [2, -1, 1],
    [2, 1, 0],
    [2, 1, 1.5],
  ])('n=%d, c=%d, k=%d are no counts', (n, c, k) => expect(() => passAtK(n, c, k)).toThrow('Not counts of runs'));
});

describe('pass^k', () => {
  it('is the share of all choices of k runs that all passed', () => {
    fc.assert(
      fc.property(counts, ({ n, c, k }) => {
        expect(passHatK(n, c, k)).toBeCloseTo(
          byCounting(n, c, k, (passes) => passes === k),
          12,
        );
      }),
    );
  });

  it('is unbiased: over all outcomes of n runs its mean is p^k', () => {
    for (const p of [0, 0.2, 0.5, 0.9, 1]) {
      for (const [n, k] of [
        [5, 2],
        [6, 6],
        [8, 3],
      ] as const) {
        let expectation = 0;
        for (let c = 0; c <= n; c++) expectation += binomial(n, c, p) * (passHatK(n, c, k) ?? NaN);
        expect(expectation).toBeCloseTo(p ** k, 12);
      }
    }
  });

  it('is pass@1 for one run, and never above pass@k', () => {
    fc.assert(
      fc.property(counts, ({ n, c, k }) => {
        expect(passHatK(n, c, 1)).toBeCloseTo(passAtK(n, c, 1) ?? NaN, 12);
        expect(passHatK(n, c, k) ?? NaN).toBeLessThanOrEqual((passAtK(n, c, k) ?? NaN) + 1e-12);
      }),
    );
  });
});
