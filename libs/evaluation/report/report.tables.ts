import type { Estimate } from '../statistics/index.js';
import type { ComparedRuns, EvaluationReport } from './evaluation.report.js';
import { formatDuration, formatEstimate, formatPercent, formatScore, formatTokens, oneLine } from './formats.js';
import type { RunsSummary, ScorerSummary } from './runs.summary.js';
import type { Table } from './table.js';

/** The tables of an evaluation: performance, scores, repeated runs, slices, and a comparison with each of the others. */
export function evalTables(report: EvaluationReport): Table[] {
  const models = [{ name: report.name, summary: report.primary }, ...report.others];
  const { runsPerRow } = report.data.config;
  return [
    performanceTable(models),
    scoresTable(report, models),
    ...(runsPerRow > 1 ? [repeatedTable(models, runsPerRow)] : []),
    ...sliceTables(report),
    ...report.others.map(comparisonTable),
  ];
}

interface NamedSummary {
  readonly name: string;
  readonly summary: RunsSummary;
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

function scoresTable({ data, confidence }: EvaluationReport, models: readonly NamedSummary[]): Table {
  const { runsPerRow, ks } = data.config;
  const shown = runsPerRow > 1 ? ks : [];
  return {
    title: `Scores (${formatScore(confidence * 100)}% interval)`,
    columns: [
      { title: 'Eval Function', width: 20 },
      { title: 'Model', width: 15 },
      { title: 'Mean', width: 6 },
      { title: 'Min', width: 6 },
      { title: 'Max', width: 6 },
      { title: 'Std', width: 6 },
      { title: 'Pass rate', width: 8 },
      ...shown.map((k) => ({ title: `pass@${k}`, width: 8 })),
      { title: 'Scored', width: 6 },
      { title: 'Errors', width: 6 },
    ],
    rows: byScorer(models, (scorer, model) => [
      [
        scorer.name,
        model,
        formatEstimate(scorer.mean),
        formatScore(scorer.min),
        formatScore(scorer.max),
        formatScore(scorer.std),
        formatEstimate(scorer.passRate, formatPercent),
        ...shown.map((k) => formatPercent(scorer.passAt.get(k)?.value ?? null)),
        String(scorer.scored),
        String(scorer.scorerErrors),
      ],
    ]),
  };
}

/** What only runs of the same row can tell, a line for each k. */
function repeatedTable(models: readonly NamedSummary[], runsPerRow: number): Table {
  return {
    title: 'Repeated runs of a row',
    columns: [
      { title: 'Eval Function', width: 20 },
      { title: 'Model', width: 15 },
      { title: `avg@${runsPerRow}`, width: 6 },
      { title: 'k', width: 1 },
      { title: 'pass@k', width: 8 },
      { title: 'pass^k', width: 8 },
      { title: 'at least k', width: 8 },
    ],
    rows: byScorer(models, (scorer, model) =>
      [...scorer.passAt.keys()].map((k, index) => [
        ...(index === 0 ? [scorer.name, model, formatEstimate(scorer.averageOfRows)] : ['', '', '']),
        String(k),
        ...[scorer.passAt, scorer.passHat, scorer.atLeast].map((estimates) => percent(estimates.get(k))),
      ]),
    ),
  };
}

/** The lines of one scorer stand together, those of the first model first. */
function byScorer(
  models: readonly NamedSummary[],
  lines: (scorer: ScorerSummary, model: string) => string[][],
): string[][] {
  const names = models[0]?.summary.scorers.map(({ name }) => name) ?? [];
  return names.flatMap((wanted) =>
    models.flatMap(({ name, summary }) => {
      const scorer = summary.scorers.find((other) => other.name === wanted);
      return scorer ? lines(scorer, name) : [];
    }),
  );
}

function percent(estimate: Estimate | undefined): string {
  return estimate ? formatEstimate(estimate, formatPercent) : 'N/A';
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

function comparisonTable({ name, kind, comparisons }: ComparedRuns): Table {
  return {
    title: `Against ${kind === 'baseline' ? 'the baseline ' : ''}${name}, row by row`,
    columns: [
      { title: 'Eval Function', width: 20 },
      { title: 'Mean difference', width: 8 },
      { title: 'Pass difference', width: 8 },
      { title: 'Gained', width: 6 },
      { title: 'Lost', width: 6 },
    ],
    rows: [...comparisons].map(([scorer, { meanDifference, passDifference, gained, lost }]) => [
      scorer,
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
