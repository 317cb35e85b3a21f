import type { RunProgress } from '../run/progress.js';
import type { RunSummary } from '../run/run.record.js';
import type { TestResult } from '../run/test.runner.js';
import type { Comparison, Estimate, GateVerdict } from '../statistics/index.js';
import type { EvaluationReport } from './evaluation.report.js';
import {
  formatBeside,
  formatCost,
  formatDuration,
  formatEstimate,
  formatPercent,
  formatScore,
  formatTokens,
  oneLine,
} from './formats.js';
import type { RunsSummary, ScorerSummary } from './runs.summary.js';
import type { Table } from './table.js';

/** `[3/10] Row 2: FAILED (1.5s, 1,024 tokens) - why` (spec F.6). */
export function testLine({ done, total, run }: RunProgress): string {
  return `[${done}/${total}] Row ${run.row_index}: ${ending(run, [])}`;
}

/** `[3/10] [primary] OK (1.5s, 1,024 tokens) [exact=1.000]` (spec F.8). */
export function evalLine({ done, total, run }: RunProgress): string {
  const tag = run.model_tag === null ? '' : `[${run.model_tag}] `;
  const scores = Object.entries(run.scores).map(
    ([name, score]) => `${name}=${score === null ? 'N/A' : score.toFixed(3)}`,
  );
  return `[${done}/${total}] ${tag}${ending(run, scores)}`;
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
export function evalSummary({ data, primary, cost }: EvaluationReport): string[] {
  const tokens = data.runs.reduce((sum, run) => sum + run.token_usage.total_tokens, 0);
  return [
    `Rows: ${primary.rows}`,
    `Runs per row: ${data.config.runsPerRow}`,
    `Total runs: ${data.runs.length}`,
    `Failed runs: ${primary.failed} of ${primary.runs}${primary.failed > 0 ? ` (${countsOf(primary.failures)})` : ''}`,
    `Duration: ${formatDuration(data.durationMs)}`,
    `Total tokens: ${formatTokens(tokens)}`,
    ...(cost === null ? [] : [`Cost: ${formatCost(cost)}`]),
    ...(data.stopReason === null ? [] : [`Stopped early: ${data.stopReason}`]),
  ];
}

function countsOf(failures: Readonly<Record<string, number>>): string {
  return Object.entries(failures)
    .map(([name, count]) => `${name}: ${count}`)
    .join(', ');
}

/** The tables of an evaluation: performance, scores, slices, comparison with the baseline. */
export function evalTables(report: EvaluationReport): Table[] {
  const models = modelsOf(report);
  return [
    performanceTable(models),
    scoresTable(models, report.data.config.runsPerRow),
    ...sliceTables(report),
    ...(report.baseline ? [comparisonTable(report.comparisons)] : []),
  ];
}

interface NamedSummary {
  readonly name: string;
  readonly summary: RunsSummary;
}

function modelsOf({ data, primary, baseline }: EvaluationReport): NamedSummary[] {
  const own = { name: data.config.model, summary: primary };
  return baseline ? [own, { name: data.config.baselineModel ?? 'baseline', summary: baseline }] : [own];
}

/** Latency is the mean of the runs' own durations, which runs side by side do not shorten (weakness H 25). */
function performanceTable(models: readonly NamedSummary[]): Table {
  return {
    title: 'Performance',
    columns: [
      { title: 'Model', width: 15 },
      { title: 'Avg Latency', width: 12 },
      { title: 'Avg Tokens', width: 11 },
    ],
    rows: models.map(({ name, summary: { runs, totalDurationMs, totalTokens } }) => [
      name,
      runs === 0 ? 'N/A' : formatDuration(totalDurationMs / runs),
      runs === 0 ? 'N/A' : formatTokens(Math.round(totalTokens / runs)),
    ]),
  };
}

function scoresTable(models: readonly NamedSummary[], runsPerRow: number): Table {
  const [first] = models;
  const scorers = first?.summary.scorers ?? [];
  const ks = runsPerRow > 1 ? [...(scorers[0]?.passAt.keys() ?? [])] : [];
  return {
    title: 'Scores (95% interval)',
    columns: [
      { title: 'Eval Function', width: 20 },
      { title: 'Model', width: 15 },
      { title: 'Mean', width: 6 },
      { title: 'Min', width: 6 },
      { title: 'Max', width: 6 },
      { title: 'Std', width: 6 },
      { title: 'Pass rate', width: 8 },
      ...ks.map((k) => ({ title: `pass@${k}`, width: 8 })),
      { title: 'Scored', width: 6 },
      { title: 'Errors', width: 6 },
    ],
    rows: scorers.flatMap(({ name }) =>
      models.flatMap((model) => {
        const scorer = model.summary.scorers.find((other) => other.name === name);
        return scorer ? [scoreRow(scorer, model.name, ks)] : [];
      }),
    ),
  };
}

function scoreRow(scorer: ScorerSummary, model: string, ks: readonly number[]): string[] {
  return [
    scorer.name,
    model,
    formatEstimate(scorer.mean),
    formatScore(scorer.min),
    formatScore(scorer.max),
    formatScore(scorer.std),
    formatEstimate(scorer.passRate, formatPercent),
    ...ks.map((k) => formatPercent(scorer.passAt.get(k)?.value ?? null)),
    String(scorer.scored),
    String(scorer.scorerErrors),
  ];
}

function sliceTables({ slices }: EvaluationReport): Table[] {
  const columns = [...new Set(slices.map(({ column }) => column))];
  return columns.map((column) => ({
    title: `By ${column}`,
    columns: [
      { title: column, width: 20 },
      { title: 'Runs', width: 6 },
      { title: 'Mean', width: 6 },
      { title: 'Pass rate', width: 8 },
      { title: 'Error rate', width: 8 },
    ],
    rows: slices
      .filter((slice) => slice.column === column)
      .map(({ value, summary }) => [
        oneLine(value, 40),
        String(summary.runs),
        summary.main ? formatEstimate(summary.main.mean) : 'N/A',
        summary.main ? formatEstimate(summary.main.passRate, formatPercent) : 'N/A',
        formatPercent(summary.errorRate.value),
      ]),
  }));
}

function comparisonTable(comparisons: ReadonlyMap<string, Comparison>): Table {
  return {
    title: 'Against the baseline, row by row',
    columns: [
      { title: 'Eval Function', width: 20 },
      { title: 'Mean difference', width: 8 },
      { title: 'Pass difference', width: 8 },
      { title: 'Gained', width: 6 },
      { title: 'Lost', width: 6 },
    ],
    rows: [...comparisons].map(([name, { meanDifference, passDifference, gained, lost }]) => [
      name,
      signed(meanDifference, formatScore),
      signed(passDifference, formatPercent),
      listOf(gained),
      listOf(lost),
    ]),
  };
}

function signed(estimate: Estimate, format: (value: number | null) => string): string {
  return `${(estimate.value ?? 0) > 0 ? '+' : ''}${formatEstimate(estimate, format)}`;
}

/** How many, and the first rows. */
function listOf(rows: readonly number[]): string {
  if (rows.length === 0) return '0';
  const shown = rows.slice(0, 5).join(', ');
  return `${rows.length} (rows ${shown}${rows.length > 5 ? ', …' : ''})`;
}

/** `PASSED pass@1>=0.8: lower bound 0.844 of 0.912 [0.844, 0.953]`. */
export function gateLine({ gate, passed, estimate, bound }: GateVerdict): string {
  const side = gate.comparison.startsWith('>') ? 'lower' : 'upper';
  if (bound === null) return `FAILED ${gate.text}: there is no interval to judge by (${formatEstimate(estimate)})`;
  const shown = formatBeside(bound, gate.limit);
  return `${passed ? 'PASSED' : 'FAILED'} ${gate.text}: ${side} bound ${shown} of ${formatEstimate(estimate)}`;
}
