import { OsmosisError, type RolloutRequest } from '#domain';
import type { RolloutRecord } from './rollout.record.js';

/** The request's own budget in milliseconds (`deadline_seconds` of its metadata, any positive number), or the default. */
export function deadlineOf(request: RolloutRequest, defaultMs: number): number {
  const seconds: unknown = request.metadata['deadline_seconds'];
  return typeof seconds === 'number' && Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : defaultMs;
}

/** Says in which phase the budget ran out, and where it was spent. */
export function deadlineReached(record: RolloutRecord, limitMs: number): OsmosisError {
  const meter = record.work?.session?.meter;
  const phase = meter?.phase ?? 'queue';
  const spent = meter
    ? [...meter.elapsed()].map(([name, ms]) => `${name} ${Math.round(ms)} ms`).join(', ')
    : 'all of it in the queue';
  return new OsmosisError(
    'DEADLINE',
    `The rollout did not end within its deadline of ${limitMs} ms (timeout; rollouts.deadlineMs). ` +
      `It ran out in phase ${phase}; spent: ${spent}.`,
  );
}
