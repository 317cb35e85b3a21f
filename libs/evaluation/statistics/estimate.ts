/** Where the true value lies, by a stated method and confidence. */
export interface Interval {
  readonly low: number;
  readonly high: number;
  readonly method: 'wilson' | 'bootstrap' | 'normal' | 'agresti-min';
}

/** A figure with how sure it is. */
export interface Estimate {
  /** Null when there is nothing to compute it from (cases ST-01, ST-09). Never NaN, never 0 in its place. */
  readonly value: number | null;
  /** Null when there are too few rows to tell. */
  readonly interval: Interval | null;
  /** Rows it is computed from. */
  readonly rows: number;
}

export const NO_ESTIMATE: Estimate = Object.freeze({ value: null, interval: null, rows: 0 });

export interface IntervalOptions {
  /** Probability that the interval holds the true value. Default 0.95. */
  readonly confidence?: number;
  /** Makes resampling repeatable: the same data and seed give the same interval. */
  readonly seed?: number;
}

/** Relative slack of comparisons: sums of decimal fractions are not exact in binary (case ST-06). */
const SLACK = 1e-9;

/**
 * Whether a score reaches a threshold: `value ≥ threshold`, where values that differ by rounding only (1e-9 relative)
 * count as equal, so that 0.1 + 0.2 reaches 0.3 and six tenths of a point reach 0.6 however they were added up.
 */
export function reaches(value: number, threshold: number): boolean {
  return value >= threshold - SLACK * Math.max(1, Math.abs(threshold));
}
