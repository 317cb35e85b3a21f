import type { GateVerdict } from '../statistics/index.js';
import type { ComparedRuns, EvaluationReport } from './evaluation.report.js';
import { estimateJson, evalFunctions, failures } from './json.figures.js';
import { rowsJson } from './json.rows.js';
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
    yield `${isFirst ? '' : ','}\n    ${indentedTwice(row)}`;
    isFirst = false;
  }
  yield `${isFirst ? '' : '\n  '}]\n}\n`;
}

/** Two lists around it give it its indent, and are cut off: cheaper than to indent the lines afterwards. */
function indentedTwice(row: unknown): string {
  return JSON.stringify([[row]], null, 2).slice('[\n  [\n    '.length, -'\n  ]\n]'.length);
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
