import { hash as digest } from 'node:crypto';
import Database from 'libsql';
import type {
  AcceptedRow,
  AnnouncedRow,
  RememberedRow,
  RolloutCounts,
  RolloutFilter,
  SealedRow,
  StoredAttempt,
  StoredRollout,
  UnfinishedRow,
} from '../rollout.store.js';
import type { EarlierRows, Queries, SharedUse, Write } from './journal.language.js';
import { countsRow, listQuery, rememberedRow, storedRollout, unfinishedRow, type Row } from './rows.js';
import { KEY_INDEX, migrate } from './schema.js';
import { beginInTurn, boundLog, BUSY_TIMEOUT_MS } from './turn.js';

type Statement = Database.Statement<unknown[]>;

/**
 * The SQLite file: write-ahead log, every commit synced to the disk. Synchronous, and therefore at home in a thread of its
 * own; many writes go into one commit.
 */
export class SqliteJournal implements Queries {
  readonly #db: Database.Database;
  readonly #statements = new Map<string, Statement>();
  /** Hashes of the tools that are stored. */
  readonly #toolsets = new Map<string, string>();
  /** Rollouts of which a conversation is stored: few, because short ones end before. Null when others write, too. */
  #conversed: Set<string> | null = null;

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
    this.#findConversed();
  }

  close(): void {
    this.#db.close();
  }

  /** All or none; but a rollout that another worker has accepted before is left out, and told. */
  write(writes: readonly Write[]): EarlierRows | undefined {
    let earlier: Map<string, RememberedRow> | undefined;
    this.#transaction(() => {
      for (const write of writes) {
        const row = this.#apply(write);
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
      this.#all(`${UNFINISHED} WHERE ${whose} ORDER BY r.seq`, ...values).map(unfinishedRow);
    if (!this.shared) return read();
    const { member } = this.shared;
    // In one step, so that nobody else takes them up.
    return this.#transaction(() => {
      const rows = read();
      this.#prepare(`UPDATE rollouts SET owner = ? WHERE ${whose}`).run(member, ...values);
      return rows;
    });
  }

  earlier(rolloutId: string, idempotencyKey: string | null, now: number): RememberedRow | undefined {
    // A key goes before an id, as in the engine's own ledger.
    const sql =
      `${REMEMBERED} WHERE (r.idempotency_key = ? OR r.rollout_id = ?) AND (r.ended_at IS NULL OR r.ended_at > ?) ` +
      'ORDER BY r.idempotency_key IS ? DESC LIMIT 1';
    const since = now - (this.shared?.ttlMs ?? 0);
    return this.#all(sql, idempotencyKey, rolloutId, since, idempotencyKey).map(rememberedRow)[0];
  }

  counts(endedSince: number): RolloutCounts {
    const sql =
      'SELECT (SELECT COUNT(*) FROM rollouts WHERE ended_at IS NULL) AS active, ' +
      '(SELECT COUNT(*) FROM rollouts WHERE ended_at > ?) AS completed';
    return countsRow(this.#all(sql, endedSince)[0]);
  }

  remembered(since: number): RememberedRow[] {
    return this.#all(`${REMEMBERED} WHERE r.ended_at > ? ORDER BY r.ended_at`, since).map(rememberedRow);
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
    return this.#transaction(() => {
      if (this.#prepare(REVIVE).run(this.#member, rolloutId).changes === 0) return undefined;
      return this.#all(`${UNFINISHED} WHERE r.rollout_id = ?`, rolloutId).map(unfinishedRow)[0];
    });
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

  get #member(): string | null {
    return this.shared?.member ?? null;
  }

  #apply(write: Write): RememberedRow | undefined {
    switch (write[0]) {
      case 'accepted':
        return this.#accept(write[1]);
      case 'started':
        this.#prepare('UPDATE rollouts SET started_at = ? WHERE rollout_id = ?').run(write[2], write[1]);
        return;
      case 'conversed':
        this.#conversed?.add(write[1]);
        // What was known of the same messages and of later ones is outdated.
        this.#prepare('DELETE FROM conversations WHERE rollout_id = ? AND from_message >= ?').run(write[1], write[2]);
        this.#prepare('INSERT INTO conversations VALUES (?, ?, ?)').run(write[1], write[2], write[3]);
        return;
      case 'announced':
        this.#announce(write[1]);
        return;
      case 'announcementEnded':
        this.#prepare('UPDATE rollouts SET announced_delivery = ? WHERE rollout_id = ?').run(write[2], write[1]);
        return;
      case 'sealed':
        this.#seal(write[1]);
        return;
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

  #accept(row: AcceptedRow): RememberedRow | undefined {
    const earlier = this.shared && this.earlier(row.rolloutId, row.idempotencyKey, row.acceptedAt);
    if (earlier) return earlier;
    const toolset = this.#toolset(row.tools);
    const { rolloutId, idempotencyKey, fingerprint, agent, dialect, request, apiKey, acceptedAt } = row;
    const content = [rolloutId, idempotencyKey, fingerprint, agent, dialect, request, apiKey, toolset, acceptedAt];
    const values = [...content, this.#member];
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
    if (outcome !== null) this.#forgetConversation(rolloutId);
  }

  #seal({ rolloutId, sealedAt, status, summary, url, body }: SealedRow): void {
    this.#prepare(
      "UPDATE rollouts SET sealed_at = ?, status = ?, delivery = 'pending', summary = ?, url = ?, body = ?, " +
        'announced_outcome = NULL WHERE rollout_id = ? AND sealed_at IS NULL',
    ).run(sealedAt, status, summary, url, body, rolloutId);
    // The completion holds the whole conversation now.
    this.#forgetConversation(rolloutId);
  }

  #findConversed(): void {
    if (this.shared) return;
    const rows = this.#all('SELECT DISTINCT rollout_id FROM conversations');
    this.#conversed = new Set(rows.map((row) => row['rollout_id'] as string));
  }

  #forgetConversation(rolloutId: string): void {
    if (this.#conversed && !this.#conversed.delete(rolloutId)) return;
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

  #transaction<Result>(work: () => Result): Result {
    if (this.shared) beginInTurn(this.#db);
    else this.#db.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.#db.exec('COMMIT');
      return result;
    } catch (error) {
      this.#toolsets.clear();
      this.#db.exec('ROLLBACK');
      this.#findConversed();
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
  'accepted_at, owner) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)';

/** Of one that is still in work the time of its end is not known; nobody asks for it. */
const REMEMBERED =
  'SELECT r.rollout_id, r.idempotency_key, r.fingerprint, COALESCE(r.ended_at, r.accepted_at) AS ended_at, t.tools ' +
  'FROM rollouts r JOIN toolsets t ON t.hash = r.toolset';

/** Only what is dead is sent again. What was announced stays announced. */
const REVIVE =
  "UPDATE rollouts SET delivery = REPLACE(delivery, 'dead', 'pending'), ended_at = NULL, owner = ?, " +
  "announced_delivery = REPLACE(announced_delivery, 'dead', 'pending') " +
  "WHERE rollout_id = ? AND ended_at IS NOT NULL AND (delivery = 'dead' OR announced_delivery = 'dead')";

const UNFINISHED =
  'SELECT r.*, t.tools, (SELECT COALESCE(MAX(number), 0) FROM attempts a WHERE a.rollout_id = r.rollout_id) AS attempts ' +
  'FROM rollouts r JOIN toolsets t ON t.hash = r.toolset';
