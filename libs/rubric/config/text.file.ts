import { readFile, stat } from 'node:fs/promises';
import { RubricFileError } from './file.problem.js';

/**
 * The text of a UTF-8 file, without a byte order mark.
 *
 * @throws RubricFileError when it is missing, a directory, unreadable, or not UTF-8
 */
export async function readTextFile(path: string): Promise<string> {
  await requireFile(path);
  const bytes = await readFile(path).catch((error: unknown) => {
    throw RubricFileError.at(path, `cannot be read: ${reasonOf(error)}`);
  });
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw RubricFileError.at(path, 'is not UTF-8 text. Save it with that encoding');
  }
}

export async function requireFile(path: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (!found) throw RubricFileError.at(path, 'does not exist');
  if (found.isDirectory()) throw RubricFileError.at(path, 'is a directory; a file is expected');
}

export async function isFile(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found?.isFile() ?? false;
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
