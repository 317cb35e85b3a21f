import type Database from 'libsql';
import { beginInTurn, boundLog } from './turn.js';

/** How long a worker waits for another one that copies a large file, in milliseconds. */
const MIGRATION_PATIENCE_MS = 600_000;

/** The database's layout, one step a version. A step that was released is never changed; add another. */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE toolsets (
    hash TEXT PRIMARY KEY,
    tools TEXT NOT NULL
  ) WITHOUT ROWID;

  CREATE TABLE rollouts (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    rollout_id TEXT NOT NULL UNIQUE,
    idempotency_key TEXT,
    fingerprint TEXT NOT NULL,
    agent TEXT NOT NULL,
    dialect TEXT NOT NULL,
    request TEXT NOT NULL,
    api_key TEXT,
    toolset TEXT NOT NULL REFERENCES toolsets (hash),
    accepted_at INTEGER NOT NULL,
    started_at INTEGER,
    sealed_at INTEGER,
    ended_at INTEGER,
    status TEXT,
    delivery TEXT,
    summary TEXT,
    url TEXT,
    body TEXT
  );
  CREATE INDEX rollouts_open ON rollouts (seq) WHERE ended_at IS NULL;
  CREATE INDEX rollouts_ended ON rollouts (ended_at) WHERE ended_at IS NOT NULL;

  CREATE TABLE conversations (
    rollout_id TEXT NOT NULL,
    from_message INTEGER NOT NULL,
    messages TEXT NOT NULL,
    PRIMARY KEY (rollout_id, from_message)
  ) WITHOUT ROWID;

  CREATE TABLE attempts (
    rollout_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    at INTEGER NOT NULL,
    error TEXT NOT NULL,
    PRIMARY KEY (rollout_id, number)
  ) WITHOUT ROWID;
  `,
  // What a trainer is told before the outcome is sealed. announced_outcome goes when it is.
  `
  ALTER TABLE rollouts ADD COLUMN announced_at INTEGER;
  ALTER TABLE rollouts ADD COLUMN announced_url TEXT;
  ALTER TABLE rollouts ADD COLUMN announced_body TEXT;
  ALTER TABLE rollouts ADD COLUMN announced_outcome TEXT;
  ALTER TABLE rollouts ADD COLUMN announced_delivery TEXT;
  `,
  // Which of several workers has the rollout in work; null for a server without them.
  'ALTER TABLE rollouts ADD COLUMN owner TEXT',
  // Rows that change are narrow, so that many share a page and a commit writes few. What is long is written once, at the
  // end of `messages`: requests, announcements, and outcomes with their summaries. A draft is the outcome that an
  // announcement stands for; it is of no use when the outcome itself is sealed.
  `
  DROP INDEX rollouts_open;
  DROP INDEX rollouts_ended;
  ALTER TABLE rollouts RENAME TO wide_rollouts;

  CREATE TABLE rollouts (
    seq INTEGER PRIMARY KEY,
    rollout_id TEXT NOT NULL UNIQUE,
    idempotency_key TEXT,
    fingerprint TEXT NOT NULL,
    agent TEXT NOT NULL,
    dialect TEXT NOT NULL,
    toolset TEXT NOT NULL REFERENCES toolsets (hash),
    owner TEXT,
    accepted_at INTEGER NOT NULL,
    request INTEGER NOT NULL,
    started_at INTEGER,
    announced_at INTEGER,
    announcement INTEGER,
    announced_delivery TEXT,
    sealed_at INTEGER,
    outcome INTEGER,
    status TEXT,
    delivery TEXT,
    ended_at INTEGER
  );
  CREATE TABLE messages (
    number INTEGER PRIMARY KEY,
    url TEXT,
    body TEXT,
    api_key TEXT,
    summary TEXT
  );
  CREATE TABLE drafts (
    seq INTEGER PRIMARY KEY,
    announced_outcome TEXT NOT NULL
  );

  INSERT INTO messages SELECT seq, NULL, request, api_key, NULL FROM wide_rollouts ORDER BY seq;
  INSERT INTO messages
    SELECT highest + seq, announced_url, announced_body, NULL, NULL FROM wide_rollouts, (SELECT MAX(seq) AS highest FROM wide_rollouts)
    WHERE announced_at IS NOT NULL ORDER BY seq;
  INSERT INTO messages
    SELECT 2 * highest + seq, url, body, NULL, summary FROM wide_rollouts, (SELECT MAX(seq) AS highest FROM wide_rollouts)
    WHERE sealed_at IS NOT NULL ORDER BY seq;
  INSERT INTO drafts
    SELECT seq, announced_outcome FROM wide_rollouts WHERE announced_outcome IS NOT NULL ORDER BY seq;
  INSERT INTO rollouts
    SELECT seq, rollout_id, idempotency_key, fingerprint, agent, dialect, toolset, owner, accepted_at, seq, started_at,
      announced_at, CASE WHEN announced_at IS NOT NULL THEN highest + seq END, announced_delivery,
      sealed_at, CASE WHEN sealed_at IS NOT NULL THEN 2 * highest + seq END, status, delivery, ended_at
    FROM wide_rollouts, (SELECT MAX(seq) AS highest FROM wide_rollouts) ORDER BY seq;
  DROP TABLE wide_rollouts;

  CREATE INDEX rollouts_open ON rollouts (seq) WHERE ended_at IS NULL;
  CREATE INDEX rollouts_ended ON rollouts (ended_at) WHERE ended_at IS NOT NULL;
  `,
];

/**
 * Brings a file up to date; another worker may do so at the same time.
 *
 * @throws Error when it was written by a newer version
 */
export function migrate(db: Database.Database, file: string): void {
  const version = versionOf(db);
  if (version > MIGRATIONS.length) {
    throw new Error(
      `${file} was written by a newer version of nestjs-osmosis (layout ${version}, this one knows ${MIGRATIONS.length}). ` +
        'Use that version, or another data directory.',
    );
  }
  if (version === MIGRATIONS.length) return;
  beginInTurn(db, MIGRATION_PATIENCE_MS);
  try {
    MIGRATIONS.slice(versionOf(db)).forEach((step) => db.exec(step));
    db.exec(`PRAGMA user_version = ${MIGRATIONS.length}; COMMIT`);
  } catch (error) {
    db.exec('ROLLBACK');
    throw error;
  }
  // A step that copies what is stored has written all of it to the log.
  boundLog(db, file);
}

function versionOf(db: Database.Database): number {
  const [row] = db.prepare('PRAGMA user_version').all() as { readonly user_version: unknown }[];
  return Number(row?.user_version ?? 0);
}

/** Several workers find each other's rollouts by key, too. A server alone has them in memory and saves the writing. */
export const KEY_INDEX = {
  create: 'CREATE INDEX IF NOT EXISTS rollouts_key ON rollouts (idempotency_key) WHERE idempotency_key IS NOT NULL',
  drop: 'DROP INDEX IF EXISTS rollouts_key',
} as const;
