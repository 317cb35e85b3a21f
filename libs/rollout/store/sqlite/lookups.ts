import type { RememberedRow, RolloutCounts, RolloutFilter, StoredAttempt, StoredRollout } from '../rollout.store.js';
import { countsRow, listQuery, rememberedRow, storedRollout, STORED, type Row } from './rows.js';

/** Asks the file, with the values of the statement's parameters. */
export type Ask = (sql: string, ...values: readonly unknown[]) => Row[];

/** Questions that change nothing, of whoever has the file open. */
export class Lookups {
  constructor(private readonly ask: Ask) {}

  get(rolloutId: string): StoredRollout | undefined {
    const [row] = this.ask(`${STORED} WHERE r.rollout_id = ?`, rolloutId);
    return row && storedRollout(row, this.attempts(rolloutId), true);
  }

  list(filter: RolloutFilter): StoredRollout[] {
    const { sql, values } = listQuery(filter);
    return this.ask(sql, ...values).map((row) => storedRollout(row, this.attempts(row['rollout_id'] as string), false));
  }

  /** The request as JSON, without its bearer. */
  request(rolloutId: string): string | undefined {
    const sql = 'SELECT q.body FROM rollouts r JOIN messages q ON q.number = r.request WHERE r.rollout_id = ?';
    const [row] = this.ask(sql, rolloutId);
    return row?.['body'] as string | undefined;
  }

  /** The tools that were offered, as JSON. */
  tools(rolloutId: string): string | undefined {
    const sql = 'SELECT t.tools FROM rollouts r JOIN toolsets t ON t.hash = r.toolset WHERE r.rollout_id = ?';
    const [row] = this.ask(sql, rolloutId);
    return row?.['tools'] as string | undefined;
  }

  /** What is stored of a conversation before its rollout is sealed, as JSON lists by the message they start at. */
  conversation(rolloutId: string): { from: number; messages: string }[] {
    const sql = 'SELECT from_message, messages FROM conversations WHERE rollout_id = ? ORDER BY from_message';
    return this.ask(sql, rolloutId).map((row) => ({
      from: row['from_message'] as number,
      messages: row['messages'] as string,
    }));
  }

  attempts(rolloutId: string): StoredAttempt[] {
    const sql = 'SELECT number, at, error FROM attempts WHERE rollout_id = ? ORDER BY number';
    return this.ask(sql, rolloutId) as unknown as StoredAttempt[];
  }

  /** Finished rollouts younger than the time, the oldest first. */
  remembered(since: number): RememberedRow[] {
    return this.ask(`${REMEMBERED} WHERE r.ended_at > ? ORDER BY r.ended_at`, since).map(rememberedRow);
  }

  /** A rollout that holds the id or the key, in work or finished after the time. */
  earlier(rolloutId: string, idempotencyKey: string | null, since: number): RememberedRow | undefined {
    // A key goes before an id, as in the engine's own ledger.
    const sql =
      `${REMEMBERED} WHERE (r.idempotency_key = ? OR r.rollout_id = ?) AND (r.ended_at IS NULL OR r.ended_at > ?) ` +
      'ORDER BY r.idempotency_key IS ? DESC LIMIT 1';
    return this.ask(sql, idempotencyKey, rolloutId, since, idempotencyKey).map(rememberedRow)[0];
  }

  counts(endedSince: number): RolloutCounts {
    const sql =
      'SELECT (SELECT COUNT(*) FROM rollouts WHERE ended_at IS NULL) AS active, ' +
      '(SELECT COUNT(*) FROM rollouts WHERE ended_at > ?) AS completed';
    return countsRow(this.ask(sql, endedSince)[0]);
  }
}

/** Of one that is still in work the time of its end is not known; nobody asks for it. */
const REMEMBERED =
  'SELECT r.rollout_id, r.idempotency_key, r.fingerprint, COALESCE(r.ended_at, r.accepted_at) AS ended_at, t.tools ' +
  'FROM rollouts r JOIN toolsets t ON t.hash = r.toolset';
