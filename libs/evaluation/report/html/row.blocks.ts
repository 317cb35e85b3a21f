import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { readLog, type LogRun } from '../../run/log/log.reader.js';
import { summaryOf } from '../../run/run.record.js';
import type { EvaluationReport } from '../evaluation.report.js';
import { RowIndexer, type IndexedRow } from './row.index.js';
import { mergedRuns, type ShownRun } from './shown.runs.js';

const compress = promisify(gzip);

/** All conversations of one row, packed so that the page opens before any of them is unpacked. */
export interface RowBlock {
  readonly row: IndexedRow;
  /** JSON, gzip, base64. */
  readonly packed: string;
}

/**
 * The rows of a log with their runs, each as soon as its last run was read: only a few are in memory at once.
 *
 * @param otherLogs those of the other evaluations that the report compares with, in its order
 */
export async function* rowBlocks(
  log: string,
  report: EvaluationReport,
  otherLogs: readonly string[],
): AsyncGenerator<RowBlock> {
  const indexer = new RowIndexer(report);
  const values = await rowValues(log);
  const left = runCounts(report);
  const open = new Map<number, ShownRun[]>();
  let blocks = 0;
  for await (const run of mergedRuns(log, report, otherLogs)) {
    const row = run.record.row_index;
    // Rows that only another evaluation has are none of this one.
    if (!left.has(row)) continue;
    const runs = open.get(row) ?? [];
    open.set(row, runs);
    runs.push(run);
    if (runs.length < (left.get(row) ?? 0)) continue;
    open.delete(row);
    const ofRow = values.get(row) ?? {};
    const packed = await pack(runs, ofRow);
    const summaries = runs.map(({ record, by }) => ({ run: summaryOf(record), by }));
    yield { row: indexer.index(row, blocks++, summaries, ofRow), packed };
  }
}

/** Row → runs that will come. */
function runCounts({ data, others }: EvaluationReport): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { row_index } of data.runs) counts.set(row_index, (counts.get(row_index) ?? 0) + 1);
  for (const { runs } of others.filter(({ kind }) => kind === 'evaluation')) {
    for (const { row_index } of runs) {
      const own = counts.get(row_index);
      if (own !== undefined) counts.set(row_index, own + 1);
    }
  }
  return counts;
}

async function rowValues(log: string): Promise<Map<number, Readonly<Record<string, unknown>>>> {
  const values = new Map<number, Readonly<Record<string, unknown>>>();
  for await (const { line } of readLog(log)) if (line.type === 'row') values.set(line.row_index, line.values);
  return values;
}

async function pack(runs: readonly ShownRun[], values: Readonly<Record<string, unknown>>): Promise<string> {
  const sorted = [...runs].sort((a, b) => a.by - b.by || a.record.run_index - b.record.run_index);
  const shown = sorted.map(({ record, by }): LogRun & { readonly by: number } => ({ ...record, by }));
  return (await compress(JSON.stringify({ values, runs: shown }))).toString('base64');
}
