import { readdir, stat } from 'node:fs/promises';
import { extname, isAbsolute, join, resolve, sep } from 'node:path';
import { homedir } from 'node:os';
import { RubricFileError } from '../config/file.problem.js';

export interface OutputPath {
  readonly path: string;
  /** Null when a file was named. */
  readonly identifier: string | null;
}

/** `My Rubric/ID` → `my_rubric_id`. */
export function reportFolder(rubricId: string): string {
  const name = rubricId
    .trim()
    .replace(/[^\p{L}\p{N}_-]/gu, '_')
    .replace(/^_+|_+$/g, '');
  return (name || 'rubric').toLowerCase();
}

/**
 * Where the report goes (spec C.9). A path whose end is a dot and letters names a file; any other is a directory, so that
 * `results.v1` is one (weakness H 13). A report that is there is never overwritten by another session's second.
 *
 * @param identifier what the file in a directory is called by; seconds since 1970 by default
 * @param resume takes the report of the last session in the directory that was broken off, when there is one
 * @throws RubricFileError when a named file is a directory
 */
export async function resolveOutput(
  given: string | null,
  rubricId: string,
  identifier: string,
  directory: string,
  reports: string = join(homedir(), '.cache', 'osmosis', 'eval_result'),
  resume = false,
): Promise<OutputPath> {
  if (given !== null && looksLikeFile(given)) {
    const path = resolve(directory, expand(given));
    if (await isDirectory(path)) throw RubricFileError.at(path, 'is a directory; the report needs a file there');
    return { path, identifier: null };
  }
  const folder = given === null ? join(reports, reportFolder(rubricId)) : resolve(directory, expand(given));
  const broken = resume ? await brokenOff(folder) : null;
  if (broken) return broken;
  for (let attempt = 1; ; attempt++) {
    const name = attempt === 1 ? identifier : `${identifier}-${attempt}`;
    const path = join(folder, `rubric_eval_result_${name}.json`);
    if (!(await exists(path))) return { path, identifier: name };
  }
}

const JOURNAL_NAME = /^rubric_eval_result_(.+)\.json\.partial\.jsonl$/;

async function brokenOff(folder: string): Promise<OutputPath | null> {
  const names = await readdir(folder).catch((): string[] => []);
  const journals = await Promise.all(
    names.flatMap((name) => {
      const identifier = JOURNAL_NAME.exec(name)?.[1];
      return identifier === undefined ? [] : stat(join(folder, name)).then(({ mtimeMs }) => ({ identifier, mtimeMs }));
    }),
  );
  const [last] = journals.sort((a, b) => b.mtimeMs - a.mtimeMs);
  if (!last) return null;
  return { path: join(folder, `rubric_eval_result_${last.identifier}.json`), identifier: last.identifier };
}

function looksLikeFile(path: string): boolean {
  return !path.endsWith('/') && !path.endsWith(sep) && /^\.[a-z]+$/i.test(extname(path));
}

/** The shell does not expand `~` in `--output=~/x`. */
function expand(path: string): string {
  return !isAbsolute(path) && /^~(?=\/|$)/.test(path) ? join(homedir(), path.slice(1)) : path;
}

async function isDirectory(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() ?? false;
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null;
}
