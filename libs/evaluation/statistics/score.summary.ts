import { max, mean, min, standardDeviation } from 'simple-statistics';
import { NO_ESTIMATE, reaches, type Estimate, type IntervalOptions } from './estimate.js';
import { meanInterval, ratio, wilson, type RowShare } from './intervals.js';
import { passAtK, passHatK } from './pass.estimators.js';

/** What the runs of one row gave, by one scorer. */
export interface RowSample {
  readonly row: number;
  /** Scores of the runs that have one. */
  readonly scores: readonly number[];
  /** Runs that failed by the agent's own fault: attempts that did not pass. */
  readonly failures: number;
}

/** How runs are told apart. */
export interface SummaryOptions extends IntervalOptions {
  /** A score passes when it reaches this. */
  readonly threshold: number;
  /** For which k pass@k and pass^k are wanted. */
  readonly ks: readonly number[];
}

/**
 * One scorer's figures. Which run counts where (cases ST-03, RW-*):
 *
 * - mean, deviation, extremes: runs that have a score. A run or a score that failed is not a 0, it is absent and counted.
 * - pass figures: those, and the runs that failed by the agent's own fault, which did not pass. Runs that failed by the
 *   model's server, the transport or a scorer tell nothing of the agent and do not count.
 */
export interface ScoreSummary {
  readonly rows: number;
  /** Runs that have a score. */
  readonly scored: number;
  /** Runs that count for the pass figures. */
  readonly attempts: number;
  readonly passes: number;
  /** Over all scores. */
  readonly mean: Estimate;
  /** Over the means of the rows: each row weighs the same, however many of its runs have a score. */
  readonly averageOfRows: Estimate;
  /** Of the population; 0 for one score, null for none (case ST-09). */
  readonly std: number | null;
  readonly min: number | null;
  readonly max: number | null;
  /** pass@1. */
  readonly passRate: Estimate;
  /** k → pass@k; without value where no row has k attempts (case ST-01). */
  readonly passAt: ReadonlyMap<number, Estimate>;
  /** k → pass^k. */
  readonly passHat: ReadonlyMap<number, Estimate>;
  /** j → share of rows of which at least j runs passed; for j = 1 … most attempts of a row. */
  readonly atLeast: ReadonlyMap<number, Estimate>;
  /** Rows with at least two scores, all equal: nothing to learn from in a group (case ST-11). */
  readonly constantRows: number;
  /** Rows with at least two scores. */
  readonly repeatedRows: number;
}

/** A row's attempts and passes. */
export interface RowPasses {
  readonly row: number;
  readonly attempts: number;
  readonly passes: number;
}

export function passesOf({ row, scores, failures }: RowSample, threshold: number): RowPasses {
  const passes = scores.reduce((count, score) => count + (reaches(score, threshold) ? 1 : 0), 0);
  return { row, attempts: scores.length + failures, passes };
}

const MOST_AT_LEAST = 32;

export function summarizeScores(samples: readonly RowSample[], options: SummaryOptions): ScoreSummary {
  const scores = samples.flatMap((sample) => sample.scores);
  const rows = samples.map((sample) => passesOf(sample, options.threshold)).filter(({ attempts }) => attempts > 0);
  const repeated = samples.filter((sample) => sample.scores.length > 1);
  const mostAttempts = rows.reduce((most, { attempts }) => Math.max(most, attempts), 0);
  const scoredRows = samples.filter((sample) => sample.scores.length > 0);
  return {
    rows: samples.length,
    scored: scores.length,
    attempts: rows.reduce((sum, { attempts }) => sum + attempts, 0),
    passes: rows.reduce((sum, { passes }) => sum + passes, 0),
    mean: meanEstimate(
      scoredRows.map((sample) => ({ sum: total(sample.scores), weight: sample.scores.length })),
      options,
    ),
    averageOfRows: meanEstimate(
      scoredRows.map((sample) => ({ sum: total(sample.scores) / sample.scores.length, weight: 1 })),
      options,
    ),
    std: scores.length > 0 ? standardDeviation(scores) : null,
    min: scores.length > 0 ? min(scores) : null,
    max: scores.length > 0 ? max(scores) : null,
    passRate: rateOfRows(rows, ({ attempts, passes }) => passes / attempts, options),
    passAt: byNumber(options.ks, (k) => rateOfRows(rows, (row) => passAtK(row.attempts, row.passes, k), options)),
    passHat: byNumber(options.ks, (k) => rateOfRows(rows, (row) => passHatK(row.attempts, row.passes, k), options)),
    atLeast: byNumber(upTo(Math.min(mostAttempts, MOST_AT_LEAST)), (j) =>
      rateOfRows(rows, (row) => (row.attempts >= j ? Number(row.passes >= j) : null), options),
    ),
    constantRows: repeated.filter((sample) => sample.scores.every((score) => score === sample.scores[0])).length,
    repeatedRows: repeated.length,
  };
}

/** A mean with its interval over rows. */
export function meanEstimate(rows: readonly RowShare[], options: IntervalOptions): Estimate {
  if (rows.length === 0) return NO_ESTIMATE;
  return { value: ratio(rows), interval: meanInterval(rows, options), rows: rows.length };
}

/**
 * The mean over rows of a share between 0 and 1. Where each row gives just 0 or 1, or all give the same, the interval is
 * Wilson's, with the rows as trials, since resampling rows that are all alike would claim certainty; else it is that of a
 * mean.
 */
function rateOfRows(
  rows: readonly RowPasses[],
  share: (row: RowPasses) => number | null,
  options: IntervalOptions,
): Estimate {
  const values = rows.map(share).filter((value) => value !== null);
  if (values.length === 0) return NO_ESTIMATE;
  const isBinary = values.every((value) => value === 0 || value === 1);
  if (isBinary || values.every((value) => value === values[0])) {
    const interval = wilson(total(values), values.length, options.confidence);
    return { value: mean(values), interval, rows: values.length };
  }
  return meanEstimate(
    values.map((value) => ({ sum: value, weight: 1 })),
    options,
  );
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function byNumber(keys: readonly number[], estimate: (key: number) => Estimate): Map<number, Estimate> {
  return new Map(keys.map((key) => [key, estimate(key)]));
}

function upTo(last: number): number[] {
  return Array.from({ length: last }, (_, index) => index + 1);
}
