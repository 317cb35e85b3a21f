import { join } from 'node:path';
import Database from 'libsql';

/** How long a server waits for its predecessor to let go of the directory, in milliseconds. */
const PATIENCE_MS = 10_000;

/**
 * Holds a data directory for one server: two would each take the other's running rollouts for crashed ones. The lock is
 * SQLite's own on a file beside the data, so the operating system lets go of it however the process ends.
 *
 * @throws Error naming the directory when another process holds it
 */
export function lockDirectory(directory: string): { release(): void } {
  const db = new Database(join(directory, 'server.lock'));
  try {
    db.pragma(`busy_timeout = ${PATIENCE_MS}`);
    db.exec('BEGIN EXCLUSIVE');
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
