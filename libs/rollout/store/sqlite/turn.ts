import { statSync } from 'node:fs';
import type Database from 'libsql';

/** How long SQLite itself waits for another connection, in milliseconds. */
export const BUSY_TIMEOUT_MS = 5_000;
/** How long a worker waits for its turn to write before it takes the store for broken, in milliseconds. */
const PATIENCE_MS = 30_000;
const SHORTEST_NAP_MS = 0.5;
const LONGEST_NAP_MS = 3;
/** SQLite begins the log anew when nobody writes for a moment; many workers may leave no such moment. */
const LARGEST_LOG_BYTES = 32 * 1024 * 1024;

const bed = new Int32Array(new SharedArrayBuffer(4));

/**
 * Begins to write a file that other processes write, too. SQLite naps ever longer while it waits, up to 100 ms, and who
 * has just written is there first again; with short naps the next turn comes sooner: of four writers without a pause, one
 * batch in a hundred waited 60 to 130 ms and not 440 to 550. Blocks its thread.
 */
export function beginInTurn(db: Database.Database, patienceMs = PATIENCE_MS): void {
  db.pragma('busy_timeout = 0');
  try {
    for (const end = Date.now() + patienceMs; ; nap()) {
      try {
        db.exec('BEGIN IMMEDIATE');
        return;
      } catch (error) {
        if (!isBusy(error) || Date.now() > end) throw error;
      }
    }
  } finally {
    db.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
  }
}

/** Moves a log that has grown too long into the file, while the other writers wait. What was written stays written. */
export function boundLog(db: Database.Database, file: string): void {
  try {
    if (statSync(`${file}-wal`).size > LARGEST_LOG_BYTES) db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    // After the next write, then.
  }
}

function nap(): void {
  const ms = SHORTEST_NAP_MS + Math.random() * (LONGEST_NAP_MS - SHORTEST_NAP_MS);
  Atomics.wait(bed, 0, 0, ms);
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY');
}
