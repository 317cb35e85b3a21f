import type { RunProgress } from '../run/progress.js';
import type { RunSummary } from '../run/run.record.js';
import type { TestResult } from '../run/test.runner.js';
import type { GateVerdict } from '../statistics/index.js';
import type { EvaluationReport } from './evaluation.report.js';
import type { RunsSummary } from './runs.summary.js';
import { formatBeside, formatCost, formatDuration, formatEstimate, formatTokens, oneLine } from './formats.js';

/** `[3/10] Row 2: FAILED (1.5s, 1,024 tokens) - why` (spec F.6). */
export function testLine({ done, total, run }: RunProgress): string {
  return `[${done}/${total}] Row ${run.row_index}: ${ending(run, [])}`;
}

/** `[3/10] Row 2 run 0 [primary]: OK (1.5s, 1,024 tokens) [exact=1.000]` (spec F.8, with the row). */
export function evalLine({ done, total, run }: RunProgress): string {
  const tag = run.model_tag === null ? '' : ` [${run.model_tag}]`;
  const scores = Object.entries(run.scores).map(
    ([name, score]) => `${name}=${score === null ? 'N/A' : score.toFixed(3)}`,
  );
  return `[${done}/${total}] Row ${run.row_index} run ${run.run_index}${tag}: ${ending(run, scores)}`;
}

function ending(run: RunSummary, scores: readonly string[]): string {
  const figures = `${formatDuration(run.duration_ms)}, ${formatTokens(run.token_usage.total_tokens)} tokens`;
  return [
    `${run.success ? 'OK' : 'FAILED'} (${figures})`,
    ...(scores.length > 0 ? [`[${scores.join(', ')}]`] : []),
    ...(run.error === null ? [] : [`- ${oneLine(run.error)}`]),
  ].join(' ');
}

/** The end of a test, a line each (spec F.6). */
export function testSummary(result: TestResult): string[] {
  const { summary, passed, failed, durationMs, cost, stopReason } = result;
  return [
    `Total: ${summary.runs}`,
    `Passed: ${passed}`,
    `Failed: ${failed}${failed > 0 ? ` (${countsOf(summary.failures)})` : ''}`,
    `Duration: ${formatDuration(durationMs)}`,
    `Total tokens: ${formatTokens(summary.totalTokens)}`,
    ...(cost === null ? [] : [`Cost: ${formatCost(cost)}`]),
    ...(stopReason === null ? [] : [`Stopped early: ${stopReason}`]),
  ];
}

/** What an evaluation was and cost, a line each, before its tables. */
export function evalSummary({ data, primary, others, cost }: EvaluationReport): string[] {
  const tokens = data.runs.reduce((sum, run) => sum + run.token_usage.total_tokens, 0);
  return [
    `Rows: ${primary.rows}`,
    `Runs per row: ${data.config.runsPerRow}`,
    `Total runs: ${data.runs.length}`,
    `Failed runs: ${failedOf(primary)}`,
    ...others.map(({ name, summary }) => `Failed runs of ${name}: ${failedOf(summary)}`),
    `Duration: ${formatDuration(data.durationMs)}`,
    `Total tokens: ${formatTokens(tokens)}`,
    ...(cost === null ? [] : [`Cost: ${formatCost(cost)}`]),
    ...(data.stopReason === null ? [] : [`Stopped early: ${data.stopReason}`]),
  ];
}

function failedOf({ failed, runs, failures }: RunsSummary): string {
  return `${failed} of ${runs}${failed > 0 ? ` (${countsOf(failures)})` : ''}`;
}

function countsOf(failures: Readonly<Record<string, number>>): string {
  return Object.entries(failures)
    .map(([name, count]) => `${name}: ${count}`)
    .join(', ');
}

/** `PASSED pass@1>=0.8: lower bound 0.844 of 0.912 [0.844, 0.953]`. */
export function gateLine({ gate, passed, estimate, bound }: GateVerdict): string {
  const side = gate.comparison.startsWith('>') ? 'lower' : 'upper';
  if (bound === null) return `FAILED ${gate.text}: there is no interval to judge by (${formatEstimate(estimate)})`;
  const shown = formatBeside(bound, gate.limit);
  return `${passed ? 'PASSED' : 'FAILED'} ${gate.text}: ${side} bound ${shown} of ${formatEstimate(estimate)}`;
}
