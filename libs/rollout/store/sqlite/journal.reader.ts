import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import Database from 'libsql';
import { describeThrown, OsmosisError } from '#domain';
import type { RolloutFilter } from '../rollout.store.js';
import { Lookups } from './lookups.js';
import type { Row } from './rows.js';
import { MIGRATIONS } from './schema.js';

/**
 * Looks into a data directory, also while a server writes there or after one was killed. Changes no data; SQLite may leave
 * its `-shm` and `-wal` files behind. Synchronous: for programs that have nothing else to do. Every method throws
 * `STORE_UNAVAILABLE` when the file cannot be read.
 */
export class JournalReader {
  readonly #file: string;
  readonly #db: Database.Database;
  readonly #lookups = new Lookups((sql, ...values) => this.#all(sql, ...values));

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

  list = (filter: RolloutFilter) => this.#lookups.list(filter);
  get = (rolloutId: string) => this.#lookups.get(rolloutId);
  request = (rolloutId: string) => this.#lookups.request(rolloutId);
  tools = (rolloutId: string) => this.#lookups.tools(rolloutId);
  conversation = (rolloutId: string) => this.#lookups.conversation(rolloutId);

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
