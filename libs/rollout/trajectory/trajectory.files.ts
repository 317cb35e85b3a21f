import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { documentText, rolloutIdOf, type AtifDocument } from '#atif';
import { fileNameOf } from './file-name.js';

/** The folder of a data directory's documents. */
export function trajectoryFolder(dataDir: string): string {
  return join(dataDir, 'trajectories');
}

/** Where the document of a rollout lies: `<folder>/<rollout id>/trajectory.json` (spec 0.3, 2.1). */
export function trajectoryFile(folder: string, rolloutId: string): string {
  return join(folder, fileNameOf(rolloutId), 'trajectory.json');
}

/**
 * Writes a document whole or not at all, readable by its owner only.
 *
 * @param synced whether it is on the disk when this resolves
 * @throws Error of the file system
 */
export async function writeTrajectory(file: string, document: AtifDocument, synced = true): Promise<void> {
  const text = documentText(document);
  const folder = dirname(file);
  const draft = join(folder, `.trajectory.${randomBytes(6).toString('hex')}.tmp`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      if (synced) await handle.datasync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {});
    throw error;
  }
}

/** The document of a rollout; null when there is none, or the file holds something else. */
export async function readTrajectory(file: string, rolloutId: string): Promise<AtifDocument | null> {
  try {
    const document = JSON.parse(await readFile(file, 'utf8')) as AtifDocument;
    return rolloutIdOf(document) === rolloutId ? document : null;
  } catch {
    return null;
  }
}
