import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { finalRuns, readLog, type LogRun } from '../../run/log/log.reader.js';
import { withoutMessages } from '../../run/run.record.js';
import type { EvaluationReport } from '../evaluation.report.js';
import { RowIndexer, type IndexedRow } from './row.index.js';

const compress = promisify(gzip);

/** All conversations of one row, packed so that the page opens before any of them is unpacked. */
export interface RowBlock {
  readonly row: IndexedRow;
  /** JSON, gzip, base64. */
  readonly packed: string;
}

/** The rows of a log with their runs, each as soon as its last run was read: only a few are in memory at once. */
export async function* rowBlocks(log: string, report: EvaluationReport): AsyncGenerator<RowBlock> {
  const indexer = new RowIndexer(report);
  const values = await rowValues(log);
  const left = new Map<number, number>();
  for (const { row_index } of report.data.runs) left.set(row_index, (left.get(row_index) ?? 0) + 1);
  const open = new Map<number, LogRun[]>();
  let blocks = 0;
  for await (const run of finalRuns(log)) {
    const row = run.row_index;
    const runs = open.get(row) ?? [];
    open.set(row, runs);
    runs.push(run);
    if (runs.length < (left.get(row) ?? 0)) continue;
    open.delete(row);
    const ofRow = values.get(row) ?? {};
    const packed = await pack(runs, ofRow);
    yield { row: indexer.index(row, blocks++, runs.map(summaryOf), ofRow), packed };
  }
}

function summaryOf({ type: _type, ...record }: LogRun): ReturnType<typeof withoutMessages> {
  return withoutMessages(record);
}

async function rowValues(log: string): Promise<Map<number, Readonly<Record<string, unknown>>>> {
  const values = new Map<number, Readonly<Record<string, unknown>>>();
  for await (const { line } of readLog(log)) if (line.type === 'row') values.set(line.row_index, line.values);
  return values;
}

async function pack(runs: readonly LogRun[], values: Readonly<Record<string, unknown>>): Promise<string> {
  const sorted = [...runs].sort((a, b) => tagRank(a) - tagRank(b) || a.run_index - b.run_index);
  return (await compress(JSON.stringify({ values, runs: sorted }))).toString('base64');
}

function tagRank({ model_tag }: LogRun): number {
  return model_tag === 'baseline' ? 1 : 0;
}
