import type Database from 'libsql';

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
  db.exec('BEGIN IMMEDIATE');
  try {
    MIGRATIONS.slice(versionOf(db)).forEach((step) => db.exec(step));
    db.exec(`PRAGMA user_version = ${MIGRATIONS.length}; COMMIT`);
  } catch (error) {
    db.exec('ROLLBACK');
    throw error;
  }
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
