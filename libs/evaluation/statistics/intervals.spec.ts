import * as fc from 'fast-check';
import { deviate, meanInterval, wilson } from './intervals.js';
import { pairedRates } from './comparison.js';
import { seededRandom } from './random.js';

const rows = (values: readonly number[]): { sum: number; weight: number }[] =>
  values.map((sum) => ({ sum, weight: 1 }));

describe('the normal deviate', () => {
  it.each([
    [0.5, 0.674_489_750_196_081_7],
    [0.9, 1.644_853_626_951_472_2],
    [0.95, 1.959_963_984_540_054],
    [0.99, 2.575_829_303_548_900_4],
    [0.999, 3.290_526_731_491_894],
    [0.999_999, 4.891_638_475_699_037],
  ])('for %d is %d (published tables)', (confidence, z) => expect(deviate(confidence)).toBeCloseTo(z, 9));
});

describe("Wilson's interval", () => {
  // Newcombe, "Two-sided confidence intervals for the single proportion", 1998, table I, method 3.
  it.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])('of %d in %d is %d to %d (published table)', (successes, trials, low, high) => {
    const interval = wilson(successes, trials);
    expect(interval?.low).toBeCloseTo(low, 4);
    expect(interval?.high).toBeCloseTo(high, 4);
  });

  it('solves the score equation (p̂ − p)² = z² p(1−p)/n at both ends', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), fc.double({ min: 0, max: 1, noNaN: true }), (trials, share) => {
        const successes = Math.round(share * trials);
        const interval = wilson(successes, trials);
        if (!interval) throw new Error('no interval');
        const z = deviate(0.95);
        for (const p of [interval.low, interval.high]) {
          expect((successes / trials - p) ** 2).toBeCloseTo((z * z * p * (1 - p)) / trials, 10);
        }
      }),
    );
  });

  it('is none without trials', () => expect(wilson(0, 0)).toBeNull());
});

describe('the interval of a mean', () => {
  it('is none for fewer than two rows (case ST-09)', () => {
    expect(meanInterval([])).toBeNull();
    expect(meanInterval(rows([1]))).toBeNull();
  });

  it('is the same for the same seed, and another one for another seed', () => {
    const values = rows([0.1, 0.9, 0.4, 0.3, 0.8]);
    expect(meanInterval(values, { seed: 7 })).toEqual(meanInterval(values, { seed: 7 }));
    expect(meanInterval(values, { seed: 7 })).not.toEqual(meanInterval(values, { seed: 8 }));
  });

  it('agrees with the exact distribution of all resamples of a small sample', () => {
    // All 4^4 resamples of four rows, each as likely: their 2.5 % and 97.5 % points are known.
    const values = [0, 1, 2, 5];
    const means: number[] = [];
    for (let code = 0; code < 256; code++) {
      const draws = [0, 1, 2, 3].map((place) => values[(code >> (2 * place)) & 3] ?? 0);
      means.push(draws.reduce((sum, value) => sum + value, 0) / 4);
    }
    means.sort((a, b) => a - b);
    const interval = meanInterval(rows(values));
    expect(interval?.method).toBe('bootstrap');
    expect(Math.abs((interval?.low ?? NaN) - (means[6] ?? NaN))).toBeLessThanOrEqual(0.25);
    expect(Math.abs((interval?.high ?? NaN) - (means[249] ?? NaN))).toBeLessThanOrEqual(0.5);
  });

  it('covers the true mean about as often as it says', () => {
    const random = seededRandom(1);
    let covered = 0;
    for (let trial = 0; trial < 200; trial++) {
      const sample = Array.from({ length: 60 }, () => random());
      const interval = meanInterval(rows(sample), { seed: trial });
      if (interval && interval.low <= 0.5 && interval.high >= 0.5) covered++;
    }
    // 95 % of 200 is 190; under 178 or over 199 would happen once in thousands of times.
    expect(covered).toBeGreaterThanOrEqual(178);
    expect(covered).toBeLessThanOrEqual(199);
  });

  it('does not take many runs of few rows for many rows', () => {
    const [a, b] = [
      { sum: 100, weight: 100 },
      { sum: 0, weight: 100 },
    ];
    expect(meanInterval([a, b])).toMatchObject({ low: 0, high: 1 });
  });

  it('above 2,000 rows it is the normal one, and agrees with the textbook for equal weights', () => {
    const values = Array.from({ length: 3_000 }, (_, index) => index % 2);
    const interval = meanInterval(rows(values));
    const half = deviate(0.95) * Math.sqrt((0.25 * 3_000) / 2_999 / 3_000);
    expect(interval?.method).toBe('normal');
    expect(interval?.low).toBeCloseTo(0.5 - half, 12);
    expect(interval?.high).toBeCloseTo(0.5 + half, 12);
  });

  it('both ways agree where they meet', () => {
    const random = seededRandom(3);
    const values = rows(Array.from({ length: 2_000 }, () => random()));
    const resampled = meanInterval(values);
    const normal = meanInterval([...values, { sum: 0.5, weight: 1 }]);
    expect(resampled?.low).toBeCloseTo(normal?.low ?? NaN, 2);
    expect(resampled?.high).toBeCloseTo(normal?.high ?? NaN, 2);
  });
});

describe('the interval of a difference of paired rates', () => {
  // Agresti and Min 2005, section 4: 53 and 16 discordant pairs of 1,144 … with half an observation in each cell.
  it('follows its formula', () => {
    const { low, high } = pairedRates(53, 16, 1_144);
    const centre = 37 / 1_146;
    const half = (deviate(0.95) * Math.sqrt(70 - 37 ** 2 / 1_146)) / 1_146;
    expect(low).toBeCloseTo(centre - half, 12);
    expect(high).toBeCloseTo(centre + half, 12);
  });

  it('claims no certainty where no row differs', () => {
    const { low, high } = pairedRates(0, 0, 20);
    expect(low).toBeLessThan(0);
    expect(high).toBeCloseTo(-low, 12);
  });
});
