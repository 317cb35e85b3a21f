import Database from 'libsql';
import type { RememberedRow, RolloutFilter, UnfinishedRow } from '../rollout.store.js';
import type { EarlierRows, Queries, SharedUse, Write } from './journal.language.js';
import { JournalWriter } from './journal.writer.js';
import { Lookups } from './lookups.js';
import { UNFINISHED, unfinishedRow } from './rows.js';
import { KEY_INDEX, migrate } from './schema.js';
import { Statements } from './statements.js';
import { beginInTurn, boundLog, BUSY_TIMEOUT_MS } from './turn.js';
import { REVIVE } from './writes.js';

/**
 * The SQLite file: write-ahead log, every commit synced to the disk. Synchronous, and therefore at home in a thread of its
 * own; many writes go into one commit.
 */
export class SqliteJournal implements Queries {
  readonly #db: Database.Database;
  readonly #statements: Statements;
  readonly #lookups: Lookups;
  readonly #writer: JournalWriter;

  /**
   * @param shared when other workers write the same file
   * @throws Error when the file is no database of ours or was written by a newer version
   */
  constructor(
    private readonly file: string,
    private readonly shared?: SharedUse,
  ) {
    this.#db = new Database(file);
    // First, so that the others wait as well for whoever is just closing the file.
    this.#db.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
    this.#db.pragma('journal_mode = WAL');
    this.#db.pragma('synchronous = FULL');
    migrate(this.#db, file);
    this.#db.exec(shared ? KEY_INDEX.create : KEY_INDEX.drop);
    this.#statements = new Statements(this.#db);
    this.#lookups = new Lookups((sql, ...values) => this.#statements.all(sql, ...values));
    this.#writer = new JournalWriter(this.#statements, this.#lookups, shared);
  }

  close(): void {
    this.#db.close();
  }

  /** All or none; but a rollout that another worker has accepted before is left out, and told. */
  write(writes: readonly Write[]): EarlierRows | undefined {
    let earlier: Map<string, RememberedRow> | undefined;
    this.#transaction(() => {
      for (const write of writes) {
        const row = this.#writer.apply(write);
        if (row && write[0] === 'accepted') (earlier ??= new Map()).set(write[1].rolloutId, row);
      }
    });
    if (this.shared) boundLog(this.#db, this.file);
    return earlier;
  }

  unfinished(members?: readonly string[]): UnfinishedRow[] {
    const whose = members ? 'ended_at IS NULL AND owner IN (SELECT value FROM json_each(?))' : 'ended_at IS NULL';
    const values = members ? [JSON.stringify(members)] : [];
    const read = (): UnfinishedRow[] =>
      this.#statements.all(`${UNFINISHED} WHERE ${whose} ORDER BY r.seq`, ...values).map(unfinishedRow);
    if (!this.shared) return read();
    const { member } = this.shared;
    // In one step, so that nobody else takes them up.
    return this.#transaction(() => {
      const rows = read();
      this.#statements.run(`UPDATE rollouts SET owner = ? WHERE ${whose}`, [member, ...values]);
      this.#writer.distrustMemory();
      return rows;
    });
  }

  revive(rolloutId: string): UnfinishedRow | undefined {
    return this.#transaction(() => {
      const { changes } = this.#statements.run(REVIVE, [this.shared?.member ?? null, rolloutId]);
      if (changes === 0) return undefined;
      return this.#statements.all(`${UNFINISHED} WHERE r.rollout_id = ?`, rolloutId).map(unfinishedRow)[0];
    });
  }

  prune(endedBefore: number, keep: number): void {
    this.#transaction(() => {
      const beyond = 'SELECT ended_at FROM rollouts WHERE ended_at IS NOT NULL ORDER BY ended_at DESC LIMIT 1 OFFSET ?';
      const [oldestKept] = this.#statements.all(beyond, keep);
      const limit = oldestKept ? (oldestKept['ended_at'] as number) + 1 : 0;
      this.#writer.forget("ended_at < ? OR (ended_at < ? AND delivery = 'delivered')", limit, endedBefore);
      this.#writer.forgetDrafts();
    });
  }

  get = (rolloutId: string) => this.#lookups.get(rolloutId);
  list = (filter: RolloutFilter) => this.#lookups.list(filter);
  conversation = (rolloutId: string) => this.#lookups.conversation(rolloutId);
  remembered = (since: number) => this.#lookups.remembered(since);
  counts = (endedSince: number) => this.#lookups.counts(endedSince);
  earlier = (rolloutId: string, idempotencyKey: string | null, now: number) =>
    this.#lookups.earlier(rolloutId, idempotencyKey, now - (this.shared?.ttlMs ?? 0));

  #transaction<Result>(work: () => Result): Result {
    if (this.shared) beginInTurn(this.#db);
    else this.#db.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.#db.exec('COMMIT');
      return result;
    } catch (error) {
      this.#db.exec('ROLLBACK');
      this.#writer.distrustMemory();
      throw error;
    }
  }
}
