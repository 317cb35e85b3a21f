import type { Interval, IntervalOptions } from './estimate.js';
import { normalQuantile } from './normal.quantile.js';
import { seededRandom } from './random.js';

export const DEFAULT_CONFIDENCE = 0.95;
const DEFAULT_SEED = 20_260_101;
const RESAMPLES = 2_000;

/** Above this many rows the mean's distribution is normal for every practical purpose, and resampling would take seconds. */
const MOST_RESAMPLED_ROWS = 2_000;

/** The standard normal deviate that cuts off the tails: 1.96 for 95 %. */
export function deviate(confidence: number): number {
  return normalQuantile((1 + confidence) / 2);
}

/**
 * Wilson's score interval for a rate: good also for few trials, and for 0 or all of them.
 *
 *     centre = (p + z²/2n) / (1 + z²/n),  half = z/(1 + z²/n) · √(p(1−p)/n + z²/4n²)
 *
 * Source: Wilson 1927; recommended by Brown, Cai and DasGupta, "Interval Estimation for a Binomial Proportion", 2001.
 */
export function wilson(successes: number, trials: number, confidence = DEFAULT_CONFIDENCE): Interval | null {
  if (trials <= 0) return null;
  const z = deviate(confidence);
  const rate = successes / trials;
  const scale = 1 + (z * z) / trials;
  const centre = (rate + (z * z) / (2 * trials)) / scale;
  const half = (z / scale) * Math.sqrt((rate * (1 - rate)) / trials + (z * z) / (4 * trials * trials));
  // At 0 and at 1 the bound is exact; rounding would put it beyond.
  const low = successes === 0 ? 0 : centre - half;
  const high = successes === trials ? 1 : centre + half;
  return { low, high, method: 'wilson' };
}

/** What one row adds to a mean: the mean is Σ sum / Σ weight. */
export interface RowShare {
  readonly sum: number;
  readonly weight: number;
}

/**
 * Interval of a mean over rows. The runs of one row are alike, so whole rows are drawn, not runs (cluster bootstrap,
 * percentile method: Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 13; 2,000 draws). Above 2,000
 * rows the normal interval with the cluster-robust error of a ratio takes its place (Cochran, "Sampling Techniques", 1977,
 * section 6.3).
 *
 * @returns null for fewer than two rows
 */
export function meanInterval(rows: readonly RowShare[], options: IntervalOptions = {}): Interval | null {
  if (rows.length < 2) return null;
  return rows.length > MOST_RESAMPLED_ROWS ? normalInterval(rows, options) : bootstrapInterval(rows, options);
}

export function ratio(rows: readonly RowShare[]): number {
  let [sum, weight] = [0, 0];
  for (const row of rows) {
    sum += row.sum;
    weight += row.weight;
  }
  return sum / weight;
}

function bootstrapInterval(rows: readonly RowShare[], options: IntervalOptions): Interval {
  const random = seededRandom(options.seed ?? DEFAULT_SEED);
  const means = new Float64Array(RESAMPLES);
  for (let resample = 0; resample < RESAMPLES; resample++) {
    let [sum, weight] = [0, 0];
    for (let draw = 0; draw < rows.length; draw++) {
      const row = rows[(random() * rows.length) | 0] as RowShare;
      sum += row.sum;
      weight += row.weight;
    }
    means[resample] = sum / weight;
  }
  means.sort();
  const tail = (1 - (options.confidence ?? DEFAULT_CONFIDENCE)) / 2;
  return { low: quantile(means, tail), high: quantile(means, 1 - tail), method: 'bootstrap' };
}

/** Linear between the two nearest values (definition 7 of Hyndman and Fan, 1996). */
function quantile(sorted: Float64Array, share: number): number {
  const at = share * (sorted.length - 1);
  const below = sorted[Math.floor(at)] ?? 0;
  const above = sorted[Math.ceil(at)] ?? below;
  return below + (above - below) * (at - Math.floor(at));
}

function normalInterval(rows: readonly RowShare[], { confidence = DEFAULT_CONFIDENCE }: IntervalOptions): Interval {
  const value = ratio(rows);
  let [residuals, weights] = [0, 0];
  for (const { sum, weight } of rows) {
    residuals += (sum - value * weight) ** 2;
    weights += weight;
  }
  const count = rows.length;
  const error = Math.sqrt((residuals * count) / (count - 1)) / weights;
  const half = deviate(confidence) * error;
  return { low: value - half, high: value + half, method: 'normal' };
}
