import { DatasetError } from '../../dataset/dataset.error.js';
import { bytesOf, openSource, type SourceFile } from '../../dataset/source.file.js';
import { decodeText } from '../../dataset/text.decoder.js';
import { linesOf } from '../../dataset/text.lines.js';
import { keyOf, type RunRecord } from '../run.record.js';
import { RunLogError } from './log.error.js';
import type { LogHeader } from './log.header.js';

/** The row of a dataset, kept so that a log can be read without its dataset. */
export interface LogRow {
  readonly type: 'row';
  readonly row_index: number;
  readonly values: Readonly<Record<string, unknown>>;
}

export type LogRun = RunRecord & { readonly type: 'run' };

/** Ends each session that ended by itself. */
export interface LogSession {
  readonly type: 'session';
  readonly ended_at: string;
  readonly duration_ms: number;
  readonly stop_reason: string | null;
}

export type LogLine = LogHeader | LogRow | LogRun | LogSession;

/**
 * The lines of a result log, in order; the file is never whole in memory. An unfinished last line is not there: its run
 * was never finished.
 *
 * @throws RunLogError for a file that is no result log, or a finished line that cannot be read
 */
export async function* readLog(path: string): AsyncGenerator<{ readonly number: number; readonly line: LogLine }> {
  let isFirst = true;
  for await (const lines of linesOf(await wholeText(path), path)) {
    for (const { number, text } of lines) {
      const line = parseLine(text, number, path);
      if (isFirst !== (line.type === 'header')) throw notALog(path, number);
      if (line.type === 'header' && line.schema_version !== 1) {
        throw new RunLogError(path, `was written by another version (schema ${String(line.schema_version)})`);
      }
      isFirst = false;
      yield { number, line };
    }
  }
  if (isFirst) throw new RunLogError(path, 'is empty: no run was begun here');
}

const BEGINNING = '{"type":"header"';

/** Whether its process was killed before it had written the header. Any other file is somebody's. */
export async function isEmptyLog(path: string): Promise<boolean> {
  for await (const text of decodeText(bytesOf(await openLog(path), false), path)) {
    return !text.includes('\n') && BEGINNING.startsWith(text.slice(0, BEGINNING.length));
  }
  return true;
}

async function wholeText(path: string): Promise<AsyncGenerator<string>> {
  return wholeLines(decodeText(bytesOf(await openLog(path), false), path));
}

async function openLog(path: string): Promise<SourceFile> {
  try {
    return await openSource(path, undefined);
  } catch (error) {
    if (!(error instanceof DatasetError)) throw error;
    throw new RunLogError(path, `the result log cannot be read: ${error.reason}`);
  }
}

/** @throws RunLogError when the file does not begin with a header */
export async function readHeader(path: string): Promise<LogHeader> {
  for await (const { line } of readLog(path)) if (line.type === 'header') return line;
  throw notALog(path, 1);
}

/**
 * The runs that count: the last record of each run, in the order of the file. An earlier one was tried again after it
 * failed.
 */
export async function* finalRuns(path: string): AsyncGenerator<LogRun> {
  const last = new Map<string, number>();
  for await (const { number, line } of readLog(path)) if (line.type === 'run') last.set(keyOf(line), number);
  for await (const { number, line } of readLog(path)) {
    if (line.type === 'run' && last.get(keyOf(line)) === number) yield line;
  }
}

/** Drops what stands behind the last line end. */
async function* wholeLines(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of chunks) {
    const end = chunk.lastIndexOf('\n') + 1;
    if (end > 0) {
      yield rest + chunk.slice(0, end);
      rest = '';
    }
    rest += chunk.slice(end);
  }
}

const INTEGERS = ['row_index', 'run_index'] as const;

function parseLine(text: string, number: number, path: string): LogLine {
  let line: LogLine;
  try {
    line = JSON.parse(text) as LogLine;
  } catch {
    throw new RunLogError(
      path,
      `line ${number} is damaged. Nothing of this file is used, so that no result is made up`,
    );
  }
  if (isKnown(line)) return line;
  throw notALog(path, number);
}

/** The file may be anything: a report, another program's. */
function isKnown(line: Partial<LogLine> | null): boolean {
  switch (line?.type) {
    case 'header':
    case 'session':
      return true;
    case 'row':
      return Number.isSafeInteger(line.row_index);
    case 'run':
      return (
        INTEGERS.every((field) => Number.isSafeInteger(line[field])) &&
        typeof line.success === 'boolean' &&
        Array.isArray(line.messages)
      );
    default:
      return false;
  }
}

function notALog(path: string, number: number): RunLogError {
  return new RunLogError(path, `line ${number} is none of a result log. Name the .runs.jsonl file of an evaluation`);
}
