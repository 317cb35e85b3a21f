import { hash as digest } from 'node:crypto';
import Database from 'libsql';
import type {
  AcceptedRow,
  AnnouncedRow,
  DeliveryEndState,
  RememberedRow,
  RolloutFilter,
  SealedRow,
  StoredAttempt,
  StoredRollout,
  UnfinishedRow,
} from '../rollout.store.js';
import { listQuery, rememberedRow, storedRollout, unfinishedRow, type Row } from './rows.js';
import { MIGRATIONS } from './schema.js';

type Statement = Database.Statement<unknown[]>;

/** One write. Small arrays, because they cross to the thread that writes. */
export type Write =
  | readonly ['accepted', AcceptedRow]
  | readonly ['started', string, number]
  | readonly ['conversed', string, number, string]
  | readonly ['announced', AnnouncedRow]
  | readonly ['announcementEnded', string, DeliveryEndState]
  | readonly ['sealed', SealedRow]
  | readonly ['attemptFailed', string, StoredAttempt]
  | readonly ['ended', string, DeliveryEndState, number];

/** Questions, by name and arguments. */
export interface Queries {
  unfinished(): UnfinishedRow[];
  remembered(since: number): RememberedRow[];
  conversation(rolloutId: string): { from: number; messages: string }[];
  get(rolloutId: string): StoredRollout | undefined;
  list(filter: RolloutFilter): StoredRollout[];
  revive(rolloutId: string): UnfinishedRow | undefined;
  prune(endedBefore: number, keep: number): void;
}

/**
 * The SQLite file: write-ahead log, every commit synced to the disk. Synchronous, and therefore at home in a thread of its
 * own; many writes go into one commit.
 */
export class SqliteJournal implements Queries {
  readonly #db: Database.Database;
  readonly #statements = new Map<string, Statement>();
  /** Hashes of the tools that are stored. */
  readonly #toolsets = new Map<string, string>();

  /** @throws Error when the file is no database of ours or was written by a newer version */
  constructor(file: string) {
    this.#db = new Database(file);
    this.#db.pragma('journal_mode = WAL');
    this.#db.pragma('synchronous = FULL');
    this.#db.pragma('busy_timeout = 5000');
    this.#migrate(file);
  }

  close(): void {
    this.#db.close();
  }

  /** All or none. */
  write(writes: readonly Write[]): void {
    this.#transaction(() => {
      for (const write of writes) this.#apply(write);
    });
  }

  unfinished(): UnfinishedRow[] {
    return this.#all(`${UNFINISHED} WHERE r.ended_at IS NULL ORDER BY r.seq`).map(unfinishedRow);
  }

  remembered(since: number): RememberedRow[] {
    const sql =
      'SELECT r.rollout_id, r.idempotency_key, r.fingerprint, r.ended_at, t.tools FROM rollouts r ' +
      'JOIN toolsets t ON t.hash = r.toolset WHERE r.ended_at > ? ORDER BY r.ended_at';
    return this.#all(sql, since).map(rememberedRow);
  }

  conversation(rolloutId: string): { from: number; messages: string }[] {
    const sql = 'SELECT from_message, messages FROM conversations WHERE rollout_id = ? ORDER BY from_message';
    return this.#all(sql, rolloutId).map((row) => ({
      from: row['from_message'] as number,
      messages: row['messages'] as string,
    }));
  }

  get(rolloutId: string): StoredRollout | undefined {
    const [row] = this.#all('SELECT * FROM rollouts WHERE rollout_id = ?', rolloutId);
    return row && storedRollout(row, this.#attempts(rolloutId), true);
  }

  list(filter: RolloutFilter): StoredRollout[] {
    const { sql, values } = listQuery(filter);
    return this.#all(sql, ...values).map((row) =>
      storedRollout(row, this.#attempts(row['rollout_id'] as string), false),
    );
  }

  revive(rolloutId: string): UnfinishedRow | undefined {
    if (this.#prepare(REVIVE).run(rolloutId).changes === 0) return undefined;
    return this.#all(`${UNFINISHED} WHERE r.rollout_id = ?`, rolloutId).map(unfinishedRow)[0];
  }

  prune(endedBefore: number, keep: number): void {
    this.#transaction(() => {
      const beyond = 'SELECT ended_at FROM rollouts WHERE ended_at IS NOT NULL ORDER BY ended_at DESC LIMIT 1 OFFSET ?';
      const [oldestKept] = this.#all(beyond, keep);
      const limit = oldestKept ? (oldestKept['ended_at'] as number) + 1 : 0;
      const gone = "ended_at < ? OR (ended_at < ? AND delivery = 'delivered')";
      const whose = `rollout_id IN (SELECT rollout_id FROM rollouts WHERE ${gone})`;
      this.#delete(['attempts', 'conversations'], whose, limit, endedBefore);
      this.#delete(['rollouts'], gone, limit, endedBefore);
    });
  }

  #apply(write: Write): void {
    switch (write[0]) {
      case 'accepted':
        return this.#accept(write[1]);
      case 'started':
        this.#prepare('UPDATE rollouts SET started_at = ? WHERE rollout_id = ?').run(write[2], write[1]);
        return;
      case 'conversed':
        // What was known of the same messages and of later ones is outdated.
        this.#prepare('DELETE FROM conversations WHERE rollout_id = ? AND from_message >= ?').run(write[1], write[2]);
        this.#prepare('INSERT INTO conversations VALUES (?, ?, ?)').run(write[1], write[2], write[3]);
        return;
      case 'announced':
        return this.#announce(write[1]);
      case 'announcementEnded':
        this.#prepare('UPDATE rollouts SET announced_delivery = ? WHERE rollout_id = ?').run(write[2], write[1]);
        return;
      case 'sealed':
        return this.#seal(write[1]);
      case 'attemptFailed': {
        const { number, at, error } = write[2];
        this.#prepare('INSERT OR REPLACE INTO attempts VALUES (?, ?, ?, ?)').run(write[1], number, at, error);
        return;
      }
      case 'ended':
        this.#prepare('UPDATE rollouts SET delivery = ?, ended_at = ? WHERE rollout_id = ?').run(
          write[2],
          write[3],
          write[1],
        );
    }
  }

  #accept(row: AcceptedRow): void {
    const toolset = this.#toolset(row.tools);
    const { rolloutId, idempotencyKey, fingerprint, agent, dialect, request, apiKey, acceptedAt } = row;
    const values = [rolloutId, idempotencyKey, fingerprint, agent, dialect, request, apiKey, toolset, acceptedAt];
    if (this.#prepare(ACCEPT).run(...values).changes > 0) return;
    // The engine has forgotten the rollout, so it came again; what it left behind is of no use.
    this.#delete(['attempts', 'conversations', 'rollouts'], 'rollout_id = ?', rolloutId);
    this.#prepare(ACCEPT).run(...values);
  }

  #announce({ rolloutId, announcedAt, url, body, outcome }: AnnouncedRow): void {
    this.#prepare(
      'UPDATE rollouts SET announced_at = ?, announced_url = ?, announced_body = ?, announced_outcome = ?, ' +
        "announced_delivery = 'pending' WHERE rollout_id = ? AND announced_at IS NULL",
    ).run(announcedAt, url, body, outcome, rolloutId);
    // The outcome holds the whole conversation now.
    if (outcome !== null) this.#prepare('DELETE FROM conversations WHERE rollout_id = ?').run(rolloutId);
  }

  #seal({ rolloutId, sealedAt, status, summary, url, body }: SealedRow): void {
    this.#prepare(
      "UPDATE rollouts SET sealed_at = ?, status = ?, delivery = 'pending', summary = ?, url = ?, body = ?, " +
        'announced_outcome = NULL WHERE rollout_id = ? AND sealed_at IS NULL',
    ).run(sealedAt, status, summary, url, body, rolloutId);
    // The completion holds the whole conversation now.
    this.#prepare('DELETE FROM conversations WHERE rollout_id = ?').run(rolloutId);
  }

  /** Tools are the same for most rollouts of an agent: stored once. */
  #toolset(tools: string): string {
    const known = this.#toolsets.get(tools);
    if (known !== undefined) return known;
    const hash = digest('sha1', tools, 'base64url');
    this.#prepare('INSERT OR IGNORE INTO toolsets VALUES (?, ?)').run(hash, tools);
    // Agents whose tools differ from rollout to rollout must not fill the memory.
    if (this.#toolsets.size >= TOOLSETS) this.#toolsets.clear();
    this.#toolsets.set(tools, hash);
    return hash;
  }

  #delete(tables: readonly string[], condition: string, ...values: readonly unknown[]): void {
    for (const table of tables) this.#prepare(`DELETE FROM ${table} WHERE ${condition}`).run(...values);
  }

  #attempts(rolloutId: string): StoredAttempt[] {
    const sql = 'SELECT number, at, error FROM attempts WHERE rollout_id = ? ORDER BY number';
    return this.#all(sql, rolloutId) as unknown as StoredAttempt[];
  }

  #migrate(file: string): void {
    const [row] = this.#db.prepare('PRAGMA user_version').all() as Row[];
    const version = Number(row?.['user_version'] ?? 0);
    if (version > MIGRATIONS.length) {
      throw new Error(
        `${file} was written by a newer version of nestjs-osmosis (layout ${version}, this one knows ${MIGRATIONS.length}). ` +
          'Use that version, or another data directory.',
      );
    }
    MIGRATIONS.slice(version).forEach((step, index) => {
      this.#transaction(() => {
        this.#db.exec(step);
        this.#db.exec(`PRAGMA user_version = ${version + index + 1}`);
      });
    });
  }

  #transaction(work: () => void): void {
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      work();
      this.#db.exec('COMMIT');
    } catch (error) {
      this.#toolsets.clear();
      this.#db.exec('ROLLBACK');
      throw error;
    }
  }

  #all(sql: string, ...values: readonly unknown[]): Row[] {
    return this.#prepare(sql).all(...values) as Row[];
  }

  #prepare(sql: string): Statement {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#db.prepare<unknown[]>(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

/** Lists of tools whose hash is remembered. */
const TOOLSETS = 100;

const ACCEPT =
  'INSERT OR IGNORE INTO rollouts (rollout_id, idempotency_key, fingerprint, agent, dialect, request, api_key, toolset, ' +
  'accepted_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)';

/** Only what is dead is sent again. What was announced stays announced. */
const REVIVE =
  "UPDATE rollouts SET delivery = REPLACE(delivery, 'dead', 'pending'), ended_at = NULL, " +
  "announced_delivery = REPLACE(announced_delivery, 'dead', 'pending') " +
  "WHERE rollout_id = ? AND ended_at IS NOT NULL AND (delivery = 'dead' OR announced_delivery = 'dead')";

const UNFINISHED =
  'SELECT r.*, t.tools, (SELECT COALESCE(MAX(number), 0) FROM attempts a WHERE a.rollout_id = r.rollout_id) AS attempts ' +
  'FROM rollouts r JOIN toolsets t ON t.hash = r.toolset';
