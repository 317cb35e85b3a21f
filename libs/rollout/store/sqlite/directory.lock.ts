import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'libsql';

/** How long a server waits for its predecessor to let go of the directory, in milliseconds. */
const PATIENCE_MS = 10_000;
/** How often it tries meanwhile, when it has other things to do. */
const TRY_AGAIN_MS = 50;

export interface DirectoryLock {
  release(): void;
}

/**
 * Holds a data directory for one server: two would each take the other's running rollouts for crashed ones. The lock is
 * SQLite's own on files beside the data, so the operating system lets go of it however the process ends.
 *
 * @throws Error naming the directory when another process holds it
 */
export function lockDirectory(directory: string): DirectoryLock {
  return tryToLock(directory, PATIENCE_MS);
}

/** The same for a process that must not stand still while it waits. */
export async function lockDirectoryWhenFree(directory: string): Promise<DirectoryLock> {
  for (const end = Date.now() + PATIENCE_MS; ; await pause(TRY_AGAIN_MS)) {
    try {
      return tryToLock(directory, 0);
    } catch (error) {
      if (Date.now() > end) throw error;
    }
  }
}

/**
 * For one of several workers, of whose server somebody else holds the directory: the next server waits until every worker
 * of this one has ended, also when the holder was killed and the workers live on for a moment.
 */
export function joinDirectory(directory: string): DirectoryLock {
  return hold(directory, 'workers.lock', 'BEGIN; SELECT * FROM sqlite_master', PATIENCE_MS);
}

function tryToLock(directory: string, patienceMs: number): DirectoryLock {
  const lock = hold(directory, 'server.lock', 'BEGIN EXCLUSIVE', patienceMs);
  try {
    // Workers that a former server has left behind are still at work on what they have.
    if (existsSync(join(directory, 'workers.lock'))) {
      hold(directory, 'workers.lock', 'BEGIN EXCLUSIVE', patienceMs).release();
    }
    return lock;
  } catch (error) {
    lock.release();
    throw error;
  }
}

function hold(directory: string, name: string, take: string, patienceMs: number): DirectoryLock {
  const db = new Database(join(directory, name));
  try {
    db.pragma(`busy_timeout = ${patienceMs}`);
    db.exec(take);
  } catch (error) {
    db.close();
    throw new Error(
      `Another server uses the data directory ${directory}. Stop it, or give this one a directory of its own.`,
      { cause: error },
    );
  }
  return {
    release() {
      db.exec('ROLLBACK');
      db.close();
    },
  };
}
