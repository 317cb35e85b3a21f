import type { BaselineComparison, HistogramBin, RubricReport, RunStatistics } from '#rubric/plain';
import { printable } from '../../cli/printable.js';
import { figure, signed, textTable } from '../rubrics/text-table.js';

const HEAD = ['record', 'runs', 'scored', 'mean', 'variance', 'stdev', 'min', 'max'];
const LONGEST_NAME = 40;
const LONGEST_BAR = 40;

/** Digits behind the point; counts have none. */
const DIGITS: Readonly<Record<string, number>> = { average: 4, variance: 6, stdev: 4, min: 4, max: 4 };
/** What a baseline is compared in, in the reference's order (spec C.7). */
const COMPARED = ['average', 'variance', 'stdev', 'min', 'max', 'success_count', 'failure_count', 'total_runs'];

/** A line for each record and one for all, and how the scores are spread. */
export function scoreFigures(report: RubricReport, histogram: readonly HistogramBin[]): string {
  const rows = report.records.map((record) => row(shortened(record.conversation_id), record.statistics));
  const table = textTable(HEAD, [...rows, row('all', report.overall_statistics)]);
  return report.overall_statistics.success_count === 0 ? table : `${table}\n${histogramText(histogram)}`;
}

function row(name: string, statistics: RunStatistics): string[] {
  const { total_runs, success_count, average, variance, stdev, min, max } = statistics;
  const known = (value: number, digits: number): string => figure(success_count > 0 ? value : null, digits);
  const counts = [String(total_runs), String(success_count)];
  return [name, ...counts, known(average, 4), known(variance, 6), known(stdev, 4), known(min, 4), known(max, 4)];
}

function shortened(name: string): string {
  const line = printable(name.replace(/\s+/g, ' '));
  return line.length > LONGEST_NAME ? `${line.slice(0, LONGEST_NAME - 3)}...` : line;
}

function histogramText(bins: readonly HistogramBin[]): string {
  const most = Math.max(...bins.map((bin) => bin.count));
  const names = bins.map(({ from, to }) => `${short(from)} to ${short(to)}`);
  const width = Math.max(...names.map((name) => name.length));
  const countWidth = String(most).length;
  const lines = bins.map(({ count }, index) => {
    const bar = '#'.repeat(Math.ceil((count / most) * LONGEST_BAR));
    return `  ${(names[index] ?? '').padStart(width)}  ${String(count).padStart(countWidth)}  ${bar}`.trimEnd();
  });
  return `Scores:\n${lines.join('\n')}\n`;
}

/** A bound without the noise of binary fractions. */
function short(value: number): string {
  return String(Number(value.toFixed(4)));
}

/** Current figures beside those of an earlier report, for what both have. */
export function baselineBlock(current: RunStatistics, comparison: BaselineComparison): string {
  const now: Readonly<Record<string, number>> = { ...current };
  const lines = COMPARED.flatMap((key) => {
    const before = comparison.baseline_statistics[key];
    const delta = comparison.delta_statistics[key];
    const value = now[key];
    if (before === undefined || delta === undefined || value === undefined) return [];
    const digits = DIGITS[key] ?? 0;
    const texts = [
      `baseline=${before.toFixed(digits)}`,
      `current=${value.toFixed(digits)}`,
      `delta=${signed(delta, digits)}`,
    ];
    return [`  ${key.padEnd(12)} ${texts.join(' ')}\n`];
  });
  return `Compared with the baseline ${comparison.source_path}:\n${lines.join('')}`;
}
