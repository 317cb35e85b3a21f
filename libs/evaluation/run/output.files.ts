import { randomBytes } from 'node:crypto';
import { access, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describeThrown } from '#domain';
import { RunLogError } from './log/log.error.js';
import type { LogMode } from './log/run.log.js';

const PART_LENGTH = 256 * 1024;

/** `out/x.json` → `out/x.runs.jsonl`. */
export function logPathOf(output: string): string {
  return `${output.replace(/\.json$/i, '')}.runs.jsonl`;
}

/** The log of an evaluation that is named by its report, or by the log itself. */
export function logNamedBy(path: string): string {
  return /\.json$/i.test(path) ? logPathOf(path) : path;
}

/**
 * Makes sure that the report can be written at the end, before anything is paid for (case CL-24). Makes its folder. A
 * file that is there is replaced only when the evaluation goes on (`resume`) or is begun anew (`fresh`).
 *
 * @throws RunLogError saying why it cannot
 */
export async function prepareOutput(path: string, mode: LogMode): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found?.isDirectory()) throw new RunLogError(path, 'is a directory. Name a file in it');
  if (found && mode === 'new' && !(await isThere(logPathOf(path)))) {
    throw new RunLogError(
      path,
      'is there already, and not from an evaluation that can be resumed. Name another output',
    );
  }
  const probe = temporaryName(path);
  try {
    await mkdir(dirname(path), { recursive: true });
    await (await open(probe, 'wx')).close();
    await rm(probe);
  } catch (error) {
    throw new RunLogError(path, `cannot be written: ${describeThrown(error)}`);
  }
}

/** A reader sees the old file or the new one, never a part. @param chunks the text, in parts that each fit in memory */
export async function writeAtomically(path: string, chunks: Iterable<string> | AsyncIterable<string>): Promise<void> {
  const temporary = temporaryName(path);
  try {
    await mkdir(dirname(path), { recursive: true });
    const file = await open(temporary, 'wx');
    try {
      for await (const part of gathered(chunks)) await file.write(part);
      await file.datasync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw error instanceof RunLogError ? error : new RunLogError(path, `cannot be written: ${describeThrown(error)}`);
  }
}

/** Few large writes in place of many small ones. */
async function* gathered(chunks: Iterable<string> | AsyncIterable<string>): AsyncGenerator<string> {
  let [parts, length]: [string[], number] = [[], 0];
  for await (const chunk of chunks) {
    parts.push(chunk);
    length += chunk.length;
    if (length < PART_LENGTH) continue;
    yield parts.join('');
    [parts, length] = [[], 0];
  }
  yield parts.join('');
}

function temporaryName(path: string): string {
  return join(dirname(path), `.${randomBytes(6).toString('hex')}.tmp`);
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
