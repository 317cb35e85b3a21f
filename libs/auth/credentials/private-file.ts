import { randomBytes } from 'node:crypto';
import { chmod, mkdir, open, realpath, rename, rm, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';

const OWNER_ONLY_DIRECTORY = 0o700;
const OWNER_ONLY_FILE = 0o600;
const GROUP_AND_OTHERS = 0o077;

/** The system's error code (`ENOENT` …), or null for other errors. */
export function systemCode(error: unknown): string | null {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : null;
  return typeof code === 'string' ? code : null;
}

/** Makes the directory with mode 0700; one that exists is tightened to it when `tighten` is set. */
export async function ensurePrivateDirectory(directory: string, tighten: boolean): Promise<void> {
  await mkdir(directory, { recursive: true, mode: OWNER_ONLY_DIRECTORY });
  if (tighten && ((await stat(directory)).mode & GROUP_AND_OTHERS) !== 0) await chmod(directory, OWNER_ONLY_DIRECTORY);
}

/** Text of a file and whether others on this machine may read it; null when there is no such file. */
export async function readPrivateFile(path: string): Promise<{ text: string; exposed: boolean } | null> {
  try {
    const file = await open(path, 'r');
    try {
      const { mode } = await file.stat();
      const exposed = process.platform !== 'win32' && (mode & GROUP_AND_OTHERS) !== 0;
      return { text: await file.readFile('utf8'), exposed };
    } finally {
      await file.close();
    }
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}

/**
 * Replaces the file in one step: a reader sees the old text or the new, never a part. The new file has mode 0600 from its
 * first byte, and its name is random, so that two writers cannot share it (case CL-11). A link is written through.
 */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const target = await realpath(path).catch(() => path);
  const temporary = `${target}.${randomBytes(8).toString('hex')}.tmp`;
  try {
    const file = await open(temporary, 'wx', OWNER_ONLY_FILE);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Moves a file to `<path>.bak`, or the first free `<path>.bak.N`. Never replaces an older one. Returns the new path. */
export async function moveAside(path: string): Promise<string> {
  for (let number = 0; ; number += 1) {
    const backup = number === 0 ? `${path}.bak` : `${path}.bak.${number}`;
    try {
      // Claims the name; the rename below then replaces nothing but this empty file.
      await (await open(backup, 'wx', OWNER_ONLY_FILE)).close();
    } catch (error) {
      if (systemCode(error) === 'EEXIST') continue;
      throw error;
    }
    await rename(path, backup);
    await chmod(backup, OWNER_ONLY_FILE);
    return backup;
  }
}

/** Whether a file could be made in the directory; throws the system's error when not. */
export async function probeWritable(directory: string): Promise<void> {
  const probe = join(directory, `.probe-${randomBytes(8).toString('hex')}`);
  const file = await open(probe, 'wx', OWNER_ONLY_FILE);
  await file.close();
  await unlink(probe);
}
