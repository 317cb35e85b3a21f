import type { RolloutMetrics, RolloutPhase, RolloutStatus } from '#domain';
import type { OutcomeSummary } from './outcome.summary.js';
import type { RolloutRecord, RolloutState } from './rollout.record.js';
import type { DeliveryState, StoredAttempt, StoredRollout } from './store/index.js';

/** One rollout, for looking at. All times are milliseconds since the epoch. */
export interface RolloutView {
  readonly rolloutId: string;
  readonly agent: string;
  readonly dialect: string;
  readonly state: RolloutState;
  readonly status: RolloutStatus | null;
  /** What it is doing; null when it has ended. */
  readonly phase: RolloutPhase | null;
  readonly acceptedAt: number;
  readonly startedAt: number | null;
  readonly sealedAt: number | null;
  readonly endedAt: number | null;
  /** Milliseconds in each phase, while it runs. */
  readonly elapsedMs: Readonly<Partial<Record<RolloutPhase, number>>>;
  readonly metrics: RolloutMetrics | null;
  readonly outcome: OutcomeSummary | null;
  readonly delivery: DeliveryView | null;
}

export interface DeliveryView {
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly lastError: string | null;
  readonly nextAttemptAt: number | null;
  /** What went wrong, attempt by attempt, when the store keeps it. */
  readonly failures: readonly StoredAttempt[];
}

export function viewOfRecord(record: RolloutRecord, now: number): RolloutView {
  const meter = record.work?.session?.meter;
  const queueMs = (record.startedAt ?? record.endedAt ?? now) - record.acceptedAt;
  return {
    rolloutId: record.rolloutId,
    agent: record.agent,
    dialect: record.dialect,
    state: record.state,
    status: record.summary?.status ?? null,
    phase: meter?.phase ?? (record.state === 'queued' ? 'queue' : record.state === 'delivering' ? 'delivery' : null),
    acceptedAt: record.acceptedAt,
    startedAt: record.startedAt,
    sealedAt: record.sealedAt,
    endedAt: record.endedAt,
    elapsedMs: { queue: queueMs, ...Object.fromEntries(meter?.elapsed() ?? []) },
    metrics: meter?.snapshot() ?? record.summary?.metrics ?? null,
    outcome: record.summary,
    delivery: deliveryOfRecord(record),
  };
}

function deliveryOfRecord({ announcement, parcel, delivery }: RolloutRecord): DeliveryView | null {
  if (delivery) return { ...delivery, nextAttemptAt: null, failures: [] };
  const waiting = announcement?.isPending ? announcement.parcel : parcel;
  if (!waiting) return null;
  const { attempts, lastError, nextAttemptAt } = waiting;
  return { state: 'pending', attempts, lastError, nextAttemptAt, failures: [] };
}

export function viewOfStored(stored: StoredRollout): RolloutView {
  const outcome = stored.summary === null ? null : (JSON.parse(stored.summary) as OutcomeSummary);
  const { attempts } = stored;
  return {
    rolloutId: stored.rolloutId,
    agent: stored.agent,
    dialect: stored.dialect,
    state: stored.state,
    status: stored.status,
    phase: null,
    acceptedAt: stored.acceptedAt,
    startedAt: stored.startedAt,
    sealedAt: stored.sealedAt,
    endedAt: stored.endedAt,
    elapsedMs: {},
    metrics: outcome?.metrics ?? null,
    outcome,
    delivery: stored.delivery && {
      state: stored.announcement === 'dead' ? 'dead' : stored.delivery,
      attempts: attempts.length + [stored.announcement, stored.delivery].filter((end) => end === 'delivered').length,
      lastError: attempts.at(-1)?.error ?? null,
      nextAttemptAt: null,
      failures: attempts,
    },
  };
}
