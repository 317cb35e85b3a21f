import { durationText, millisecondsBetween } from './duration-text.js';
import type { RolloutJson } from './rollout-json.js';
import { oneLine } from './safe-text.js';

interface Moment {
  readonly at: string;
  readonly what: string;
}

/** What happened when, in UTC and counted from the acceptance. */
export function timelineText(rollout: RolloutJson): string {
  const { accepted_at: acceptedAt } = rollout;
  const rows = momentsOf(rollout).map(({ at, what }): [string, string, string] => {
    const sinceMs = millisecondsBetween(acceptedAt, at);
    return [at, what === ACCEPTED ? '' : `+${durationText(sinceMs)}`, what];
  });
  const width = Math.max(...rows.map(([, since]) => since.length));
  return rows.map(([at, since, what]) => `  ${at}  ${since.padStart(width)}  ${what}\n`).join('');
}

const ACCEPTED = 'accepted';

function momentsOf(rollout: RolloutJson): Moment[] {
  const { accepted_at, started_at, sealed_at, ended_at, status, finish_reason, delivery } = rollout;
  const outcome = [status, finish_reason && `finish reason ${finish_reason}`].filter(Boolean).join(', ');
  const moments: (Moment | null)[] = [
    { at: accepted_at, what: ACCEPTED },
    started_at === null ? null : { at: started_at, what: 'started' },
    sealed_at === null ? null : { at: sealed_at, what: oneLine(`sealed as ${outcome}`) },
    ...(delivery?.failures ?? []).map(({ number, at, error }) => ({
      at,
      what: oneLine(`delivery attempt ${number} failed: ${error}`),
    })),
    ended_at === null ? null : { at: ended_at, what: endText(rollout) },
    delivery?.next_attempt_at == null ? null : { at: delivery.next_attempt_at, what: 'next delivery attempt' },
  ];
  return moments.filter((moment) => moment !== null).sort((one, other) => millisecondsBetween(other.at, one.at));
}

function endText({ delivery }: RolloutJson): string {
  if (delivery?.state === 'delivered') return `delivered, attempt ${delivery.attempts}`;
  if (delivery?.state === 'none') return 'ended, nobody was told';
  return delivery?.state === 'dead' ? `given up after ${attempts(delivery.attempts)}: a dead letter` : 'ended';
}

export function attempts(count: number): string {
  return count === 1 ? '1 attempt' : `${count} attempts`;
}

/** The time in each phase as far as it is known: what the server measures while it runs, and what the times tell. */
export function phasesOf(rollout: RolloutJson, nowMs: number): readonly (readonly [phase: string, ms: number])[] {
  const { accepted_at: accepted, started_at: started, sealed_at: sealed, ended_at: ended, elapsed_ms } = rollout;
  const now = new Date(nowMs).toISOString();
  const phases = new Map<string, number>();
  phases.set('queue', millisecondsBetween(accepted, started ?? sealed ?? now));
  if (started !== null) phases.set('run', millisecondsBetween(started, sealed ?? now));
  for (const [phase, ms] of Object.entries(elapsed_ms)) phases.set(phase, ms);
  if (sealed !== null) phases.set('delivery', millisecondsBetween(sealed, ended ?? now));
  return [...phases];
}
