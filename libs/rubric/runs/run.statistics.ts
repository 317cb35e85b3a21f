import { max, mean, min, standardDeviation, variance } from 'simple-statistics';
import type { EvaluationRun, RunStatistics, ScoreStatistics } from './run.types.js';

/** Population variance and deviation; all 0 for no scores (spec C.3). */
export function scoreStatistics(scores: readonly number[]): ScoreStatistics {
  if (scores.length === 0) return { average: 0, variance: 0, stdev: 0, min: 0, max: 0 };
  const values = [...scores];
  return {
    average: mean(values),
    variance: variance(values),
    stdev: standardDeviation(values),
    min: min(values),
    max: max(values),
  };
}

/** A judge's fault is counted, and stays out of the mean (case RJ-06). */
export function runStatistics(runs: readonly EvaluationRun[]): RunStatistics {
  const scores = runs.map((run) => run.score).filter((score) => score !== null);
  return {
    ...scoreStatistics(scores),
    total_runs: runs.length,
    success_count: scores.length,
    failure_count: runs.length - scores.length,
  };
}

/** Current minus baseline, for what both know. */
export function deltas(
  current: Readonly<Record<string, unknown>>,
  baseline: Readonly<Record<string, number>>,
): Record<string, number> {
  const result: Record<string, number> = {};
  for (const [key, value] of Object.entries(current)) {
    const before = baseline[key];
    if (typeof value === 'number' && before !== undefined) result[key] = value - before;
  }
  return result;
}

export interface HistogramBin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** Equal bins over the range; the last one holds its upper end as well. */
export function histogram(scores: readonly number[], low: number, high: number, bins = 10): HistogramBin[] {
  const width = (high - low) / bins;
  const counts = new Array<number>(bins).fill(0);
  for (const score of scores) {
    const bin = Math.min(bins - 1, Math.max(0, Math.floor((score - low) / width)));
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return counts.map((count, bin) => ({ from: low + bin * width, to: low + (bin + 1) * width, count }));
}
