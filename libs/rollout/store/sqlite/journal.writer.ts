import { hash as digest } from 'node:crypto';
import type Database from 'libsql';
import type { AcceptedRow, AnnouncedRow, RememberedRow, SealedRow } from '../rollout.store.js';
import type { SharedUse, Write } from './journal.language.js';
import type { Lookups } from './lookups.js';
import {
  ACCEPT,
  ANNOUNCE,
  BELONGINGS,
  CONVERSE,
  DRAFT,
  END,
  END_ANNOUNCEMENT,
  FAIL_ATTEMPT,
  FORGET_CONVERSATION,
  FORGET_DRAFTS,
  KEEP_MESSAGE,
  KEEP_REQUEST,
  OUTDATE_CONVERSATION,
  SEAL,
  START,
} from './writes.js';
import type { Statements } from './statements.js';

/** Lists of tools whose hash is remembered. */
const TOOLSETS = 100;

/** Writes what a batch says, one after the other, within a transaction of its owner. */
export class JournalWriter {
  /** Hashes of the tools that are stored. */
  readonly #toolsets = new Map<string, string>();
  /** Where rollouts in work are, so that their writes need not search for their ids. */
  readonly #places = new Map<string, number>();
  /** Rollouts of which a conversation is stored: few, because short ones end before. Null before that was looked up. */
  #conversed: Set<string> | null = null;

  constructor(
    private readonly statements: Statements,
    private readonly lookups: Lookups,
    private readonly shared: SharedUse | undefined,
  ) {}

  /** Looks everything up again, after a transaction that was rolled back or when rollouts of others have become ours. */
  distrustMemory(): void {
    this.#toolsets.clear();
    this.#places.clear();
    this.#conversed = null;
  }

  /** @returns what stands in the way of an accepted rollout */
  apply(write: Write): RememberedRow | undefined {
    switch (write[0]) {
      case 'accepted':
        return this.#accept(write[1]);
      case 'started':
        this.#run(START, write[2], this.#placeOf(write[1]));
        return;
      case 'conversed':
        this.#conversedRollouts.add(write[1]);
        this.#run(OUTDATE_CONVERSATION, write[1], write[2]);
        this.#run(CONVERSE, write[1], write[2], write[3]);
        return;
      case 'announced':
        this.#announce(write[1]);
        return;
      case 'announcementEnded':
        this.#run(END_ANNOUNCEMENT, write[2], this.#placeOf(write[1]));
        return;
      case 'sealed':
        this.#seal(write[1]);
        return;
      case 'attemptFailed': {
        const { number, at, error } = write[2];
        this.#run(FAIL_ATTEMPT, write[1], number, at, error);
        return;
      }
      case 'ended':
        this.#run(END, write[2], write[3], this.#placeOf(write[1]));
        this.#places.delete(write[1]);
    }
  }

  /** Removes rollouts, with all that belongs to them. */
  forget(condition: string, ...values: readonly unknown[]): void {
    for (const [table, key, own] of BELONGINGS) {
      this.#run(`DELETE FROM ${table} WHERE ${key} IN (SELECT ${own} FROM rollouts WHERE ${condition})`, ...values);
    }
    this.#run(`DELETE FROM rollouts WHERE ${condition}`, ...values);
  }

  /** Not when an outcome is sealed: many drafts of one page go at once. */
  forgetDrafts(): void {
    this.#run(FORGET_DRAFTS);
  }

  #accept(row: AcceptedRow): RememberedRow | undefined {
    const { rolloutId, idempotencyKey, fingerprint, agent, dialect, request, apiKey, acceptedAt } = row;
    if (this.shared) {
      const earlier = this.lookups.earlier(rolloutId, idempotencyKey, acceptedAt - this.shared.ttlMs);
      if (earlier) return earlier;
    }
    const { lastInsertRowid: number } = this.#run(KEEP_REQUEST, request, apiKey);
    const owner = this.shared?.member ?? null;
    const toolset = this.#toolset(row.tools);
    const values = [rolloutId, idempotencyKey, fingerprint, agent, dialect, toolset, owner, acceptedAt, number];
    let accepted = this.#run(ACCEPT, ...values);
    if (accepted.changes === 0) {
      // The engine has forgotten the rollout, so it came again; what it left behind is of no use.
      this.forget('rollout_id = ?', rolloutId);
      accepted = this.#run(ACCEPT, ...values);
    }
    this.#places.set(rolloutId, Number(accepted.lastInsertRowid));
    return undefined;
  }

  #announce({ rolloutId, announcedAt, url, body, outcome }: AnnouncedRow): void {
    const place = this.#placeOf(rolloutId);
    const { lastInsertRowid: number } = this.#run(KEEP_MESSAGE, url, body, null);
    if (this.#run(ANNOUNCE, announcedAt, number, place).changes === 0) return this.#takeBack(number);
    if (outcome === null) return;
    this.#run(DRAFT, place, outcome);
    // The outcome holds the whole conversation now.
    this.#forgetConversation(rolloutId);
  }

  #seal({ rolloutId, sealedAt, status, summary, url, body }: SealedRow): void {
    const { lastInsertRowid: number } = this.#run(KEEP_MESSAGE, url, body, summary);
    const { changes } = this.#run(SEAL, sealedAt, status, number, this.#placeOf(rolloutId));
    if (changes === 0) return this.#takeBack(number);
    // The completion holds the whole conversation now.
    this.#forgetConversation(rolloutId);
  }

  /** A message that came too late: another one stands. */
  #takeBack(number: number | bigint): void {
    this.#run('DELETE FROM messages WHERE number = ?', number);
  }

  /** Null, which is nobody's place, for a rollout that is not stored. */
  #placeOf(rolloutId: string): number | null {
    const known = this.#places.get(rolloutId);
    if (known !== undefined) return known;
    const [row] = this.statements.all('SELECT seq FROM rollouts WHERE rollout_id = ?', rolloutId);
    return row ? (row['seq'] as number) : null;
  }

  get #conversedRollouts(): Set<string> {
    if (this.#conversed) return this.#conversed;
    const rows = this.statements.all('SELECT DISTINCT rollout_id FROM conversations');
    return (this.#conversed = new Set(rows.map((row) => row['rollout_id'] as string)));
  }

  #forgetConversation(rolloutId: string): void {
    if (this.#conversedRollouts.delete(rolloutId)) this.#run(FORGET_CONVERSATION, rolloutId);
  }

  /** Tools are the same for most rollouts of an agent: stored once. */
  #toolset(tools: string): string {
    const known = this.#toolsets.get(tools);
    if (known !== undefined) return known;
    const hash = digest('sha1', tools, 'base64url');
    this.#run('INSERT OR IGNORE INTO toolsets VALUES (?, ?)', hash, tools);
    // Agents whose tools differ from rollout to rollout must not fill the memory.
    if (this.#toolsets.size >= TOOLSETS) this.#toolsets.clear();
    this.#toolsets.set(tools, hash);
    return hash;
  }

  #run(sql: string, ...values: readonly unknown[]): Database.RunResult {
    return this.statements.run(sql, values);
  }
}
