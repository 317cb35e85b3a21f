import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import Database from 'libsql';
import { describeThrown, OsmosisError } from '#domain';
import type { RolloutFilter, StoredAttempt, StoredRollout } from '../rollout.store.js';
import { listQuery, storedRollout, type Row } from './rows.js';
import { MIGRATIONS } from './schema.js';

/**
 * Looks into a data directory, also while a server writes there or after one was killed. Changes no data; SQLite may leave
 * its `-shm` and `-wal` files behind. Synchronous: for programs that have nothing else to do. Every method throws
 * `STORE_UNAVAILABLE` when the file cannot be read.
 */
export class JournalReader {
  readonly #file: string;
  readonly #db: Database.Database;

  /** @throws OsmosisError CONFIG_INVALID when the directory has no rollouts that this version can read */
  constructor(directory: string) {
    this.#file = join(directory, 'rollouts.db');
    // SQLite would only say that it cannot open the file.
    if (!existsSync(this.#file)) {
      throw unusable(`There is no ${this.#file}.`, 'Name the directory that the server keeps its rollouts in.');
    }
    this.#db = this.#open();
    try {
      this.#checkVersion();
    } catch (error) {
      this.#db.close();
      throw error;
    }
  }

  close(): void {
    this.#db.close();
  }

  list(filter: RolloutFilter): StoredRollout[] {
    const { sql, values } = listQuery(filter);
    return this.#all(sql, ...values).map((row) =>
      storedRollout(row, this.#attempts(row['rollout_id'] as string), false),
    );
  }

  get(rolloutId: string): StoredRollout | undefined {
    const [row] = this.#all('SELECT * FROM rollouts WHERE rollout_id = ?', rolloutId);
    return row && storedRollout(row, this.#attempts(rolloutId), true);
  }

  /** The request as JSON, without its bearer. */
  request(rolloutId: string): string | undefined {
    const [row] = this.#all('SELECT request FROM rollouts WHERE rollout_id = ?', rolloutId);
    return row?.['request'] as string | undefined;
  }

  /** The tools that were offered, as JSON. */
  tools(rolloutId: string): string | undefined {
    const sql = 'SELECT t.tools FROM rollouts r JOIN toolsets t ON t.hash = r.toolset WHERE r.rollout_id = ?';
    const [row] = this.#all(sql, rolloutId);
    return row?.['tools'] as string | undefined;
  }

  /** What is stored of a conversation before its rollout is sealed, as JSON lists by the message they start at. */
  conversation(rolloutId: string): { from: number; messages: string }[] {
    const sql = 'SELECT from_message AS "from", messages FROM conversations WHERE rollout_id = ? ORDER BY from_message';
    return this.#all(sql, rolloutId) as unknown as { from: number; messages: string }[];
  }

  #attempts(rolloutId: string): StoredAttempt[] {
    const sql = 'SELECT number, at, error FROM attempts WHERE rollout_id = ? ORDER BY number';
    return this.#all(sql, rolloutId) as unknown as StoredAttempt[];
  }

  #open(): Database.Database {
    try {
      // libsql takes no option for it, but SQLite's own address of a file does.
      return new Database(`${pathToFileURL(this.#file).href}?mode=ro`);
    } catch (error) {
      throw unusable(
        `${this.#file} cannot be opened: ${describeThrown(error)}.`,
        'Read it as the user that the server runs as, or a copy of the whole directory.',
        error,
      );
    }
  }

  #checkVersion(): void {
    let version: number;
    try {
      this.#db.pragma('busy_timeout = 5000');
      version = Number((this.#db.prepare('PRAGMA user_version').get() as Row)['user_version']);
    } catch (error) {
      const what = `${this.#file} cannot be read as a database of rollouts: ${describeThrown(error)}.`;
      throw unusable(what, 'Name the directory that the server keeps its rollouts in.', error);
    }
    const layouts = `(layout ${version}, this one reads ${MIGRATIONS.length})`;
    if (version > MIGRATIONS.length) {
      throw unusable(`${this.#file} was written by a newer version of nestjs-osmosis ${layouts}.`, 'Use that version.');
    }
    if (version < MIGRATIONS.length) {
      throw unusable(
        `${this.#file} was written by an older version of nestjs-osmosis, or by none yet ${layouts}.`,
        'Start a server of this version on the directory once: it brings the file up to date.',
      );
    }
  }

  #all(sql: string, ...values: readonly unknown[]): Row[] {
    try {
      return this.#db.prepare<unknown[]>(sql).all(...values) as Row[];
    } catch (error) {
      const message = `${this.#file} cannot be read: ${describeThrown(error)}. Try again, or read a copy of the directory.`;
      throw new OsmosisError('STORE_UNAVAILABLE', message, { cause: error });
    }
  }
}

function unusable(what: string, cure: string, cause?: unknown): OsmosisError {
  return new OsmosisError('CONFIG_INVALID', `${what} ${cure}`, { cause });
}
