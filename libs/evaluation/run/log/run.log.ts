import { access, mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { describeThrown } from '#domain';
import type { DatasetRow } from '../../dataset/index.js';
import { keyOf, type RunKey, type RunRecord } from '../run.record.js';
import { DurableFile } from './durable.file.js';
import { RunLogError } from './log.error.js';
import type { LogHeader, RunIdentity } from './log.header.js';
import { LogLock } from './log.lock.js';
import { isEmptyLog, type LogLine } from './log.reader.js';
import { restoredRuns, type RestoredRuns } from './restored.runs.js';

/** What to do about a log that is there. */
export type LogMode = 'new' | 'resume' | 'fresh';

/**
 * The results of an evaluation, a line each, on disk before they count: whatever ends the process, finished runs are kept
 * and the next session goes on from them.
 */
export class RunLog {
  readonly #done: Set<string>;
  readonly #rows: Set<number>;

  private constructor(
    readonly path: string,
    private readonly file: DurableFile,
    private readonly lock: LogLock,
    readonly restored: RestoredRuns,
  ) {
    this.#done = new Set(restored.runs.map(keyOf));
    this.#rows = new Set(restored.rows);
  }

  /**
   * Takes the log for this process. Makes its folder.
   *
   * @param mode `new` refuses a log that is there; `resume` goes on with it, or begins one; `fresh` keeps it under another
   *   name
   * @throws RunLogError when it cannot be written, is in use, or was written for another evaluation
   */
  static async open(path: string, header: Omit<LogHeader, 'type' | 'schema_version'>, mode: LogMode): Promise<RunLog> {
    await makeFolder(path);
    const lock = await LogLock.take(path).catch((error: unknown) => {
      throw error instanceof RunLogError ? error : new RunLogError(path, `cannot be written: ${describeThrown(error)}`);
    });
    try {
      if (!(await exists(path))) return await RunLog.begin(path, header, lock);
      if (await isEmptyLog(path)) await rm(path);
      else if (mode === 'resume') return await RunLog.continue(path, header.identity, lock);
      else if (mode === 'fresh') await rename(path, await freeName(path));
      else throw alreadyThere(path);
      return await RunLog.begin(path, header, lock);
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  private static async begin(
    path: string,
    header: Omit<LogHeader, 'type' | 'schema_version'>,
    lock: LogLock,
  ): Promise<RunLog> {
    const file = await DurableFile.open(path, 'new');
    await file.append(toLine({ type: 'header', schema_version: 1, ...header }));
    const restored = { runs: [], retried: 0, rows: new Set<number>(), durationMs: 0, startedAt: header.started_at };
    return new RunLog(path, file, lock, restored);
  }

  private static async continue(path: string, identity: RunIdentity, lock: LogLock): Promise<RunLog> {
    const restored = await restoredRuns(path, identity);
    return new RunLog(path, await DurableFile.open(path, 'continue'), lock, restored);
  }

  isDone(key: RunKey): boolean {
    return this.#done.has(keyOf(key));
  }

  /**
   * Resolves when the run is on the disk.
   *
   * @param json the record, where its JSON is known already
   */
  append(record: RunRecord, row: DatasetRow, json = JSON.stringify(record)): Promise<void> {
    const run = `{"type":"run",${json.slice(1)}`;
    if (this.#rows.has(row.index)) return this.write(run);
    this.#rows.add(row.index);
    // Before its first run, and with it: they go to the disk together.
    return this.write(`${toLine({ type: 'row', row_index: row.index, values: row.values })}\n${run}`);
  }

  /** Ends the session. @param stopReason why it was stopped early; null when it ran to its end */
  async close(endedAt: string, durationMs: number, stopReason: string | null): Promise<void> {
    try {
      const session = { ended_at: endedAt, duration_ms: durationMs, stop_reason: stopReason };
      await this.write(toLine({ type: 'session', ...session }));
    } finally {
      await this.file.close();
      await this.lock.release();
    }
  }

  /** @param lines one, or several with line ends between them */
  private async write(lines: string): Promise<void> {
    try {
      await this.file.append(lines);
    } catch (error) {
      throw new RunLogError(this.path, `cannot be written: ${describeThrown(error)}`);
    }
  }
}

function toLine(line: LogLine): string {
  return JSON.stringify(line);
}

function alreadyThere(path: string): RunLogError {
  const cure = 'Go on with it (--resume), keep it aside (--fresh), or name another output';
  return new RunLogError(path, `is there already. ${cure}`);
}

async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true });
  } catch (error) {
    throw new RunLogError(path, `its folder cannot be made: ${describeThrown(error)}`);
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** Results are never overwritten: a log that is begun anew keeps the old one as `….1`, `….2`, and so on. */
async function freeName(path: string): Promise<string> {
  for (let number = 1; ; number++) if (!(await exists(`${path}.${number}`))) return `${path}.${number}`;
}
