import type { RunSummary } from '../run/run.record.js';
import type { Estimate, GateVerdict } from '../statistics/index.js';
import type { ComparedRuns, EvaluationReport } from './evaluation.report.js';
import type { RunsSummary, ScorerSummary } from './runs.summary.js';
import type { Slice } from './slices.js';

/** The report as a JSON document: the keys of spec F.8, and ours beside them. Strict JSON: no NaN, no infinity (ST-09). */
export function jsonReport(report: EvaluationReport): Record<string, unknown> {
  return { ...head(report), rows: [...rowsJson(report.data.runs)] };
}

/** The document as text with an indent of two, row by row: a report of many rows is never whole in memory. */
export function* jsonChunks(report: EvaluationReport): Generator<string> {
  const text = JSON.stringify(head(report), null, 2);
  yield `${text.slice(0, text.lastIndexOf('\n}'))},\n  "rows": [`;
  let isFirst = true;
  for (const row of rowsJson(report.data.runs)) {
    yield `${isFirst ? '' : ','}\n    ${JSON.stringify(row, null, 2).replaceAll('\n', '\n    ')}`;
    isFirst = false;
  }
  yield `${isFirst ? '' : '\n  '}]\n}\n`;
}

function head(report: EvaluationReport): Record<string, unknown> {
  const { data, primary } = report;
  const { config } = data;
  return {
    config: {
      model: config.model,
      n_runs: config.runsPerRow,
      pass_threshold: config.threshold,
      eval_fns: primary.scorers.map(({ name }) => name),
      ...(config.baselineModel === null ? {} : { baseline_model: config.baselineModel }),
      agent: config.agent,
      dataset: { path: config.datasetPath, ...config.identity.dataset },
      identity: config.identity,
      started_at: data.startedAt,
      sdk_version: config.version,
    },
    summary: {
      total_rows: primary.rows,
      total_runs: data.runs.length,
      stopped_early: data.stopReason !== null,
      ...(data.stopReason === null ? {} : { stop_reason: data.stopReason }),
      eval_fns: evalFunctions(primary, config.runsPerRow),
      total_tokens: data.runs.reduce((sum, run) => sum + run.token_usage.total_tokens, 0),
      total_duration_ms: data.durationMs,
      ...failures(primary),
      empty_answers: primary.emptyAnswers,
      cost_usd: report.cost,
      warnings: report.warnings,
      ...(report.slices.length === 0
        ? {}
        : { slices: report.slices.map((slice) => sliceJson(slice, config.runsPerRow)) }),
      ...(report.others.length === 0 ? {} : { comparisons: report.others.map(comparisonJson) }),
      ...(report.gates.length === 0 ? {} : { gates: report.gates.map(gateJson) }),
    },
    ...(baselineOf(report) ? { model_summaries: modelSummaries(report) } : {}),
  };
}

function evalFunctions({ scorers }: RunsSummary, runsPerRow: number): Record<string, unknown> {
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

function estimateJson({ value, interval, rows }: Estimate): Record<string, unknown> {
  return { value, rows, low: interval?.low ?? null, high: interval?.high ?? null, method: interval?.method ?? null };
}

function failures(summary: RunsSummary): Record<string, unknown> {
  return {
    failed_runs: summary.failed,
    error_rate: estimateJson(summary.errorRate),
    failures_by_class: summary.failures,
  };
}

function sliceJson({ column, value, summary }: Slice, runsPerRow: number): Record<string, unknown> {
  return {
    column,
    value,
    total_rows: summary.rows,
    total_runs: summary.runs,
    ...failures(summary),
    eval_fns: evalFunctions(summary, runsPerRow),
  };
}

function comparisonJson({ name, kind, summary, comparisons }: ComparedRuns): Record<string, unknown> {
  const differences = [...comparisons].map(([scorer, { meanDifference, passDifference, gained, lost }]) => [
    scorer,
    { mean_difference: estimateJson(meanDifference), pass_difference: estimateJson(passDifference), gained, lost },
  ]);
  return { with: name, kind, total_runs: summary.runs, eval_fns: Object.fromEntries(differences) as object };
}

function gateJson({ gate, passed, estimate, bound }: GateVerdict): Record<string, unknown> {
  return { gate: gate.text, passed, bound, ...estimateJson(estimate) };
}

/** The runs are in the order of the rows. */
function* rowsJson(runs: readonly RunSummary[]): Generator<Record<string, unknown>> {
  for (let at = 0; at < runs.length;) {
    const row = runs[at]?.row_index;
    let end = at;
    while (runs[end]?.row_index === row && end < runs.length) end++;
    const ofRow = runs.slice(at, end);
    yield { row_index: row, ...rowCounts(ofRow), runs: ofRow.map(runJson) };
    at = end;
  }
}

/** Case ST-03: what the denominators are made of, row by row. */
function rowCounts(runs: readonly RunSummary[]): Record<string, number> {
  return { n_total: runs.length, n_error: runs.filter(({ success }) => !success).length };
}

function runJson(run: RunSummary): Record<string, unknown> {
  return {
    run_index: run.run_index,
    success: run.success,
    scores: run.scores,
    duration_ms: run.duration_ms,
    tokens: run.token_usage.total_tokens,
    ...(run.model_tag === null ? {} : { model_tag: run.model_tag }),
    ...(run.error === null ? {} : { error: run.error, failure_class: run.failure?.class ?? null, blame: run.blame }),
    ...(Object.keys(run.score_errors).length === 0 ? {} : { score_errors: run.score_errors }),
    reward: run.reward,
    finish_reason: run.finish_reason,
    rollout_id: run.rollout_id,
  };
}

function baselineOf({ others }: EvaluationReport): ComparedRuns | undefined {
  return others.find(({ kind }) => kind === 'baseline');
}

function modelSummaries(report: EvaluationReport): unknown[] {
  const { data, primary } = report;
  const baseline = baselineOf(report);
  const both = [
    { model: data.config.model, model_tag: 'primary', summary: primary },
    ...(baseline ? [{ model: baseline.name, model_tag: 'baseline', summary: baseline.summary }] : []),
  ];
  return both.map(({ model, model_tag, summary }) => ({
    model,
    model_tag,
    total_runs: summary.runs,
    total_tokens: summary.totalTokens,
    total_duration_ms: summary.totalDurationMs,
    eval_fns: evalFunctions(summary, data.config.runsPerRow),
  }));
}
