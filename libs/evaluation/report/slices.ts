import type { RunSummary } from '../run/run.record.js';
import { summarizeRuns, type RunsSummary, type SummaryRequest } from './runs.summary.js';

/** Row → column → value, for the columns that results are split by. */
export type RowLabels = ReadonlyMap<number, Readonly<Record<string, string>>>;

/** The rows that have one value in one column. */
export interface Slice {
  readonly column: string;
  readonly value: string;
  readonly summary: RunsSummary;
}

/** More values than this are no classes but, say, ids. The largest are shown, and the note says so. */
const MOST_SLICES = 100;

/** What a row's columns say, as labels: text as it stands, everything else as JSON; what is missing is `(none)`. */
export function labelsOf(
  values: Readonly<Record<string, unknown>>,
  columns: readonly string[],
): Record<string, string> {
  return Object.fromEntries(columns.map((column) => [column, label(values[column])]));
}

/** The results of each value of each column, the largest slice first. */
export function sliceRuns(
  runs: readonly RunSummary[],
  labels: RowLabels,
  columns: readonly string[],
  request: SummaryRequest,
): Slice[] {
  return columns.flatMap((column) => {
    const byValue = new Map<string, RunSummary[]>();
    for (const run of runs) {
      const value = labels.get(run.row_index)?.[column] ?? label(undefined);
      const group = byValue.get(value);
      if (group) group.push(run);
      else byValue.set(value, [run]);
    }
    return [...byValue]
      .sort(([, a], [, b]) => b.length - a.length)
      .slice(0, MOST_SLICES)
      .map(([value, group]) => ({ column, value, summary: summarizeRuns(group, request) }));
  });
}

/** Columns that no row has: a typing error would look like a result. */
export function unknownColumns(slices: readonly Slice[]): string[] {
  const columns = [...new Set(slices.map(({ column }) => column))];
  return columns.filter((column) =>
    slices.every((slice) => slice.column !== column || slice.value === label(undefined)),
  );
}

function label(value: unknown): string {
  if (value === undefined || value === null) return '(none)';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
