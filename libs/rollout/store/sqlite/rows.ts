import type { RolloutStatus } from '#domain';
import type {
  DeliveryState,
  RememberedRow,
  RolloutCounts,
  RolloutFilter,
  StoredAttempt,
  StoredRollout,
  UnfinishedRow,
} from '../rollout.store.js';

/** A row as SQLite gives it. */
export type Row = Readonly<Record<string, unknown>>;

export function unfinishedRow(row: Row): UnfinishedRow {
  return {
    rolloutId: row['rollout_id'] as string,
    idempotencyKey: row['idempotency_key'] as string | null,
    fingerprint: row['fingerprint'] as string,
    agent: row['agent'] as string,
    dialect: row['dialect'] as string,
    request: row['request_body'] as string,
    apiKey: row['api_key'] as string | null,
    tools: row['tools'] as string,
    acceptedAt: row['accepted_at'] as number,
    startedAt: row['started_at'] as number | null,
    announced: row['announced_at'] === null ? null : announcedRow(row),
    sealed: row['sealed_at'] === null ? null : sealedRow(row),
    attempts: row['attempts'] as number,
  };
}

function announcedRow(row: Row): NonNullable<UnfinishedRow['announced']> {
  return {
    rolloutId: row['rollout_id'] as string,
    announcedAt: row['announced_at'] as number,
    url: row['announced_url'] as string,
    body: row['announced_body'] as string,
    outcome: row['announced_outcome'] as string | null,
    delivery: row['announced_delivery'] as DeliveryState,
  };
}

function sealedRow(row: Row): NonNullable<UnfinishedRow['sealed']> {
  return {
    rolloutId: row['rollout_id'] as string,
    sealedAt: row['sealed_at'] as number,
    status: row['status'] as RolloutStatus,
    summary: row['summary'] as string,
    url: row['url'] as string | null,
    body: row['body'] as string | null,
    delivery: row['delivery'] as DeliveryState,
  };
}

export function rememberedRow(row: Row): RememberedRow {
  return {
    rolloutId: row['rollout_id'] as string,
    idempotencyKey: row['idempotency_key'] as string | null,
    fingerprint: row['fingerprint'] as string,
    tools: row['tools'] as string,
    endedAt: row['ended_at'] as number,
  };
}

export function countsRow(row: Row = {}): RolloutCounts {
  return { active: Number(row['active'] ?? 0), completed: Number(row['completed'] ?? 0) };
}

export function storedRollout(row: Row, attempts: readonly StoredAttempt[], withCompletion: boolean): StoredRollout {
  return {
    rolloutId: row['rollout_id'] as string,
    agent: row['agent'] as string,
    dialect: row['dialect'] as string,
    trainerUrl: row['url'] as string | null,
    state: stateOf(row),
    status: row['status'] as RolloutStatus | null,
    delivery: row['delivery'] as DeliveryState | null,
    announcement: row['announced_delivery'] as DeliveryState | null,
    acceptedAt: row['accepted_at'] as number,
    startedAt: row['started_at'] as number | null,
    sealedAt: row['sealed_at'] as number | null,
    endedAt: row['ended_at'] as number | null,
    attempts,
    summary: row['summary'] as string | null,
    completion: withCompletion ? (row['body'] as string | null) : null,
  };
}

function stateOf(row: Row): StoredRollout['state'] {
  if (row['ended_at'] !== null) return 'done';
  if (row['sealed_at'] !== null) return 'delivering';
  return row['started_at'] === null ? 'queued' : 'running';
}

const CONDITIONS: Readonly<Record<string, string>> = {
  queued: 'started_at IS NULL AND sealed_at IS NULL',
  running: 'started_at IS NOT NULL AND sealed_at IS NULL',
  delivering: 'sealed_at IS NOT NULL AND ended_at IS NULL',
  done: 'ended_at IS NOT NULL',
  dead: "(delivery = 'dead' OR announced_delivery = 'dead')",
  COMPLETED: "status = 'COMPLETED'",
  ERROR: "status = 'ERROR'",
};

/** The states that a list can be asked for. */
export const LIST_STATES: readonly string[] = Object.keys(CONDITIONS);

const STORED_COLUMNS =
  'r.seq, r.rollout_id, r.agent, r.dialect, r.accepted_at, r.started_at, r.sealed_at, r.ended_at, r.status, r.delivery, ' +
  'r.announced_delivery, o.url, o.summary';
const STORED_TABLES = 'FROM rollouts r LEFT JOIN messages o ON o.number = r.outcome';

/** Whole rollouts, as `storedRollout` reads them. */
export const STORED = `SELECT ${STORED_COLUMNS}, o.body ${STORED_TABLES}`;

/** Rollouts in work, as `unfinishedRow` reads them. The outcome that was announced is outdated when it is sealed. */
export const UNFINISHED =
  'SELECT r.*, q.body AS request_body, q.api_key, t.tools, o.summary, o.url, o.body, ' +
  'a.url AS announced_url, a.body AS announced_body, ' +
  'CASE WHEN r.sealed_at IS NULL THEN d.announced_outcome END AS announced_outcome, ' +
  '(SELECT COALESCE(MAX(number), 0) FROM attempts WHERE rollout_id = r.rollout_id) AS attempts ' +
  'FROM rollouts r JOIN messages q ON q.number = r.request JOIN toolsets t ON t.hash = r.toolset ' +
  'LEFT JOIN messages a ON a.number = r.announcement LEFT JOIN messages o ON o.number = r.outcome ' +
  'LEFT JOIN drafts d ON d.seq = r.seq';

/** Lists leave out the bodies: they may be large. */
export function listQuery(filter: RolloutFilter): { sql: string; values: unknown[] } {
  const conditions: string[] = [];
  const values: unknown[] = [];
  if (filter.status !== undefined) conditions.push(CONDITIONS[filter.status] ?? '0');
  if (filter.agent !== undefined) {
    conditions.push('r.agent = ?');
    values.push(filter.agent);
  }
  if (filter.after !== undefined) {
    conditions.push('r.seq > COALESCE((SELECT seq FROM rollouts WHERE rollout_id = ?), 0)');
    values.push(filter.after);
  }
  const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
  values.push(filter.limit);
  return { sql: `SELECT ${STORED_COLUMNS} ${STORED_TABLES} ${where} ORDER BY r.seq LIMIT ?`, values };
}
