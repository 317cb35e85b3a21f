import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { RubricFileError } from '../config/file.problem.js';
import { reasonOf } from '../config/text.file.js';

/** Writes a file so that a reader sees the old one or the new one, never a part. Makes its directory. */
export async function writeAtomically(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = temporaryBeside(path);
  try {
    await writeFile(temporary, text, { encoding: 'utf8', flag: 'wx' });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/**
 * Makes the directory of a file that is written later, and tries to write there: results that were paid for must have
 * somewhere to go (case CL-24).
 *
 * @throws RubricFileError
 */
export async function ensureWritable(path: string): Promise<void> {
  const temporary = temporaryBeside(path);
  try {
    if ((await stat(path).catch(() => null))?.isDirectory()) throw new Error('it is a directory');
    await mkdir(dirname(path), { recursive: true });
    await writeFile(temporary, '', { flag: 'wx' });
  } catch (error) {
    throw RubricFileError.at(path, `cannot be written: ${reasonOf(error)}. Choose another place for it`);
  }
  await rm(temporary, { force: true });
}

function temporaryBeside(path: string): string {
  return `${path}.${randomBytes(6).toString('hex')}.tmp`;
}
