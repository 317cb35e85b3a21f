import { NO_ESTIMATE, type Estimate, type Interval, type IntervalOptions } from './estimate.js';
import { DEFAULT_CONFIDENCE, deviate } from './intervals.js';
import { meanEstimate, passesOf, type RowSample } from './score.summary.js';

/** The same rows, run twice: by the one that is looked at, and by what it is compared with. */
export interface Comparison {
  /** Mean over rows of (mean score − mean score of the baseline). */
  readonly meanDifference: Estimate;
  /** Mean over rows of (pass rate − pass rate of the baseline). */
  readonly passDifference: Estimate;
  /** Rows that the baseline did not solve and this one does. A row is solved when more than half of its attempts pass. */
  readonly gained: readonly number[];
  /** The other way round. */
  readonly lost: readonly number[];
}

/**
 * Compares row by row, over the rows that both have. Pairing takes out that some rows are harder than others, so that
 * much smaller differences can be told from chance than by comparing two means.
 */
export function compare(
  samples: readonly RowSample[],
  baseline: readonly RowSample[],
  options: IntervalOptions & { readonly threshold: number },
): Comparison {
  const others = new Map(baseline.map((sample) => [sample.row, sample]));
  const pairs = samples.flatMap((sample) => {
    const other = others.get(sample.row);
    return other ? [{ sample, other }] : [];
  });
  const scores: number[] = [];
  const passes: number[] = [];
  const gained: number[] = [];
  const lost: number[] = [];
  for (const { sample, other } of pairs) {
    if (sample.scores.length > 0 && other.scores.length > 0) scores.push(average(sample) - average(other));
    const [mine, theirs] = [passesOf(sample, options.threshold), passesOf(other, options.threshold)];
    if (mine.attempts === 0 || theirs.attempts === 0) continue;
    const [rate, otherRate] = [mine.passes / mine.attempts, theirs.passes / theirs.attempts];
    passes.push(rate - otherRate);
    if (rate > 0.5 && otherRate <= 0.5) gained.push(sample.row);
    if (rate <= 0.5 && otherRate > 0.5) lost.push(sample.row);
  }
  return {
    meanDifference: differenceEstimate(scores, options),
    passDifference: rateDifference(passes, options),
    gained,
    lost,
  };
}

function average({ scores }: RowSample): number {
  return scores.reduce((sum, score) => sum + score, 0) / scores.length;
}

/** Rows that all differ alike, say each by one of two runs, would make resampling claim certainty. */
function rateDifference(differences: readonly number[], options: IntervalOptions): Estimate {
  const [first = 0] = differences;
  const estimate = differenceEstimate(differences, options);
  if (differences.length === 0 || differences.some((difference) => difference !== first)) return estimate;
  const [up, down] = [Math.max(0, first), Math.max(0, -first)].map((share) => share * differences.length);
  return { ...estimate, interval: pairedRates(up ?? 0, down ?? 0, differences.length, options.confidence) };
}

/**
 * Where each row differs by −1, 0 or 1 the interval is that of Agresti and Min for paired rates, which claims no certainty
 * where no row differs; else it is the bootstrap's over rows.
 */
function differenceEstimate(differences: readonly number[], options: IntervalOptions): Estimate {
  if (differences.length === 0) return NO_ESTIMATE;
  const isBinary = differences.every((difference) => Math.abs(difference) === 1 || difference === 0);
  if (!isBinary) {
    return meanEstimate(
      differences.map((difference) => ({ sum: difference, weight: 1 })),
      options,
    );
  }
  const up = differences.filter((difference) => difference === 1).length;
  const down = differences.filter((difference) => difference === -1).length;
  return {
    value: (up - down) / differences.length,
    interval: pairedRates(up, down, differences.length, options.confidence),
    rows: differences.length,
  };
}

/**
 * Interval of the difference of two paired rates: Wald's after half an observation is added to each of the four cells.
 * Source: Agresti and Min, "Simple improved confidence intervals for comparing matched proportions", 2005.
 *
 * @param up rows that only the first solved; `down` rows that only the second solved
 */
export function pairedRates(up: number, down: number, rows: number, confidence = DEFAULT_CONFIDENCE): Interval {
  const count = rows + 2;
  const centre = (up - down) / count;
  const half = (deviate(confidence) * Math.sqrt(up + down + 1 - (up - down) ** 2 / count)) / count;
  return { low: Math.max(-1, centre - half), high: Math.min(1, centre + half), method: 'agresti-min' };
}
