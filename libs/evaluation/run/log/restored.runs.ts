import { keyOf, summaryOf, type RunSummary } from '../run.record.js';
import { requireSameIdentity, type RunIdentity } from './log.header.js';
import { readLog } from './log.reader.js';

/** What earlier sessions have left. */
export interface RestoredRuns {
  /** Runs that succeeded: they are not made again. Failed ones are (case ST-04). */
  readonly runs: readonly RunSummary[];
  /** Failed runs that are made again. */
  readonly retried: number;
  /** Rows that are in the log already. */
  readonly rows: ReadonlySet<number>;
  readonly durationMs: number;
  readonly startedAt: string;
}

/** @throws RunLogError when the log cannot be read, or was written for another evaluation */
export async function restoredRuns(path: string, identity: RunIdentity): Promise<RestoredRuns> {
  const runs = new Map<string, RunSummary>();
  const rows = new Set<number>();
  let durationMs = 0;
  let startedAt = '';
  for await (const { line } of readLog(path)) {
    switch (line.type) {
      case 'header':
        requireSameIdentity(path, line.identity, identity);
        startedAt = line.started_at;
        break;
      case 'row':
        rows.add(line.row_index);
        break;
      case 'run': {
        const { type: _type, ...record } = line;
        runs.set(keyOf(record), summaryOf(record));
        break;
      }
      case 'session':
        durationMs += line.duration_ms;
    }
  }
  const all = [...runs.values()];
  const done = all.filter(({ success }) => success);
  return { runs: done, retried: all.length - done.length, rows, durationMs, startedAt };
}
