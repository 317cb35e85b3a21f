import type { Estimate } from '../statistics/index.js';
import type { RunsSummary, ScorerSummary } from './runs.summary.js';

/** Scorer → its figures, with the keys of spec F.8 first. */
export function evalFunctions({ scorers }: RunsSummary, runsPerRow: number): Record<string, unknown> {
  return Object.fromEntries(scorers.map((scorer) => [scorer.name, scorerJson(scorer, runsPerRow)]));
}

/** pass@k is shown for repeated runs only: for one run it is the pass rate. */
function scorerJson(scorer: ScorerSummary, runsPerRow: number): Record<string, unknown> {
  const passAt = runsPerRow > 1 ? [...scorer.passAt].filter(([, { value }]) => value !== null) : [];
  return {
    mean: scorer.mean.value,
    std: scorer.std,
    min: scorer.min,
    max: scorer.max,
    ...Object.fromEntries(passAt.map(([k, { value }]) => [`pass_at_${k}`, value])),
    n_rows: scorer.rows,
    n_scored: scorer.scored,
    n_scorer_errors: scorer.scorerErrors,
    n_attempts: scorer.attempts,
    n_passed: scorer.passes,
    n_constant_rows: scorer.constantRows,
    estimates: {
      mean: estimateJson(scorer.mean),
      avg_at_n: estimateJson(scorer.averageOfRows),
      pass_rate: estimateJson(scorer.passRate),
      pass_at: estimatesJson(scorer.passAt),
      pass_hat: estimatesJson(scorer.passHat),
      at_least: estimatesJson(scorer.atLeast),
    },
  };
}

function estimatesJson(estimates: ReadonlyMap<number, Estimate>): Record<string, unknown> {
  const known = [...estimates].filter(([, { value }]) => value !== null);
  return Object.fromEntries(known.map(([k, estimate]) => [String(k), estimateJson(estimate)]));
}

export function estimateJson({ value, interval, rows }: Estimate): Record<string, unknown> {
  return { value, rows, low: interval?.low ?? null, high: interval?.high ?? null, method: interval?.method ?? null };
}

/** Case ST-03: how many runs failed, of how many, and of what. */
export function failures(summary: RunsSummary): Record<string, unknown> {
  return {
    failed_runs: summary.failed,
    error_rate: estimateJson(summary.errorRate),
    failures_by_class: summary.failures,
  };
}
