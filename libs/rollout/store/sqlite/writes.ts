/** The statements that write, for `JournalWriter`. Rollouts in work are found by their place: no search by id. */

export const KEEP_REQUEST = 'INSERT INTO messages (body, api_key) VALUES (?, ?)';

export const KEEP_MESSAGE = 'INSERT INTO messages (url, body, summary) VALUES (?, ?, ?)';

export const ACCEPT =
  'INSERT OR IGNORE INTO rollouts (rollout_id, idempotency_key, fingerprint, agent, dialect, toolset, owner, accepted_at, ' +
  'request) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)';

export const START = 'UPDATE rollouts SET started_at = ? WHERE seq = ?';

/** What was known of the same messages and of later ones. */
export const OUTDATE_CONVERSATION = 'DELETE FROM conversations WHERE rollout_id = ? AND from_message >= ?';

export const CONVERSE = 'INSERT INTO conversations VALUES (?, ?, ?)';

export const FORGET_CONVERSATION = 'DELETE FROM conversations WHERE rollout_id = ?';

/** Once. */
export const ANNOUNCE =
  "UPDATE rollouts SET announced_at = ?, announcement = ?, announced_delivery = 'pending' " +
  'WHERE seq = ? AND announced_at IS NULL';

export const DRAFT = 'INSERT INTO drafts VALUES (?, ?)';

export const FORGET_DRAFTS =
  'DELETE FROM drafts WHERE seq IN ' +
  '(SELECT d.seq FROM drafts d JOIN rollouts r ON r.seq = d.seq WHERE r.sealed_at IS NOT NULL)';

export const END_ANNOUNCEMENT = 'UPDATE rollouts SET announced_delivery = ? WHERE seq = ?';

/** Once. */
export const SEAL =
  "UPDATE rollouts SET sealed_at = ?, status = ?, outcome = ?, delivery = 'pending' WHERE seq = ? AND sealed_at IS NULL";

export const FAIL_ATTEMPT = 'INSERT OR REPLACE INTO attempts VALUES (?, ?, ?, ?)';

export const END = 'UPDATE rollouts SET delivery = ?, ended_at = ? WHERE seq = ?';

/** Only what is dead is sent again. What was announced stays announced. */
export const REVIVE =
  "UPDATE rollouts SET delivery = REPLACE(delivery, 'dead', 'pending'), ended_at = NULL, owner = ?, " +
  "announced_delivery = REPLACE(announced_delivery, 'dead', 'pending') " +
  "WHERE rollout_id = ? AND ended_at IS NOT NULL AND (delivery = 'dead' OR announced_delivery = 'dead')";

/** What belongs to a rollout: a table, its key, and the column of the rollout that it is found by. */
export const BELONGINGS = [
  ['attempts', 'rollout_id', 'rollout_id'],
  ['conversations', 'rollout_id', 'rollout_id'],
  ['drafts', 'seq', 'seq'],
  ['messages', 'number', 'request'],
  ['messages', 'number', 'announcement'],
  ['messages', 'number', 'outcome'],
] as const;
