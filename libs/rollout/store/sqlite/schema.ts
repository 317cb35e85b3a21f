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
];
