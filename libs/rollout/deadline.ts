import { OsmosisError, type RolloutRequest } from '#domain';
import type { RolloutRecord } from './rollout.record.js';

/** The request's own budget in milliseconds (`deadline_seconds` of its metadata, any positive number), or the default. */
export function deadlineOf(request: RolloutRequest, defaultMs: number): number {
  const seconds: unknown = request.metadata['deadline_seconds'];
  return typeof seconds === 'number' && Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : defaultMs;
}

/** Says in which phase the budget ran out, and where it was spent. */
export function deadlineReached(record: RolloutRecord, limitMs: number): OsmosisError {
  return new OsmosisError(
    'DEADLINE',
    `The rollout did not end within its deadline of ${limitMs} ms (timeout; rollouts.deadlineMs). ${spent(record)}`,
  );
}

/** The same for a budget that the trainer has set for one phase. Waiting for a slot counts for the agent's. */
export function phaseDeadlineReached(record: RolloutRecord, who: 'agent' | 'grader', limitMs: number): OsmosisError {
  return new OsmosisError('DEADLINE', `The ${who} exceeded its ${seconds(limitMs)}s deadline. ${spent(record)}`);
}

function spent(record: RolloutRecord): string {
  const meter = record.work?.session?.meter;
  const phase = meter?.phase ?? 'queue';
  const queued = record.startedAt === null ? 0 : record.startedAt - record.acceptedAt;
  const times = [...(queued >= LEAST_QUEUE_MS ? [['queue', queued] as const] : []), ...(meter?.elapsed() ?? [])];
  const where = meter ? times.map(([name, ms]) => `${name} ${Math.round(ms)} ms`).join(', ') : 'all of it in the queue';
  return `It ran out in phase ${phase}; spent: ${where}.`;
}

/** Shorter waits for a slot explain nothing. */
const LEAST_QUEUE_MS = 100;

/** As Python prints a number of seconds: `30.0`, `0.05`, `-1.0`. */
function seconds(ms: number): string {
  const value = ms / 1_000;
  return Number.isInteger(value) ? value.toFixed(1) : String(value);
}
