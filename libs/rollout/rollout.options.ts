import { requirePositive } from '#agent';
import { OsmosisError, systemClock, type BackoffPolicy, type Clock } from '#domain';

export const ROLLOUT_OPTIONS = Symbol('ROLLOUT_OPTIONS');

export interface DeliveryOptions {
  readonly backoff: BackoffPolicy;
  /** How long delivery of one completion is tried, in milliseconds. Default 24 hours. */
  readonly horizonMs: number;
  /** Attempts after the first, at most; undefined: as many as the horizon allows. */
  readonly maxRetries: number | undefined;
}

export interface RolloutModuleOptions {
  /** Rollouts that run at once; more wait in a queue. Default 1,000. */
  readonly maxConcurrent: number;
  /** Rollouts that may wait for a slot; beyond it inits are answered 429. Default 100,000. */
  readonly maxQueued: number;
  /** Milliseconds from the init's acceptance to the sealed outcome. Default 600,000. */
  readonly deadlineMs: number;
  /** How long a finished rollout's id is remembered, in milliseconds. Default one hour. */
  readonly recordTtlMs: number;
  /** Finished rollouts remembered at most. Default 100,000. */
  readonly maxRecords: number;
  /** Milliseconds between two looks for records to forget. Default 60,000. */
  readonly cleanupIntervalMs: number;
  /** How long running rollouts may go on when the server stops, in milliseconds. Default 5,000. */
  readonly shutdownGraceMs: number;
  /** Folder for `ctx.logEvent`, one JSONL file a rollout. Undefined: off. */
  readonly traceDir: string | undefined;
  readonly delivery: DeliveryOptions;
  readonly clock: Clock;
}

export type RolloutModuleInput = Partial<Omit<RolloutModuleOptions, 'delivery'>> & {
  readonly delivery?: Partial<DeliveryOptions>;
};

const DEFAULTS = {
  maxConcurrent: 1_000,
  maxQueued: 100_000,
  deadlineMs: 600_000,
  recordTtlMs: 3_600_000,
  maxRecords: 100_000,
  cleanupIntervalMs: 60_000,
  shutdownGraceMs: 5_000,
} as const;

const DELIVERY: DeliveryOptions = {
  backoff: { baseDelayMs: 1_000, maxDelayMs: 300_000 },
  horizonMs: 24 * 3_600_000,
  maxRetries: undefined,
};

/** @throws OsmosisError CONFIG_INVALID naming the option */
export function rolloutOptions(input: RolloutModuleInput = {}): RolloutModuleOptions {
  const limits = Object.fromEntries(
    Object.entries(DEFAULTS).map(([name, fallback]) => [name, input[name as keyof typeof DEFAULTS] ?? fallback]),
  ) as { -readonly [Name in keyof typeof DEFAULTS]: number };
  for (const [name, value] of Object.entries(limits)) {
    if (name === 'shutdownGraceMs' || name === 'maxQueued') requireNotNegative(`rollouts.${name}`, value);
    else requirePositive(`rollouts.${name}`, value);
  }
  const delivery = { ...DELIVERY, ...input.delivery };
  requirePositive('rollouts.delivery.horizonMs', delivery.horizonMs);
  return { ...limits, traceDir: input.traceDir || undefined, delivery, clock: input.clock ?? systemClock };
}

function requireNotNegative(name: string, value: number): void {
  if (value >= 0) return;
  throw new OsmosisError('CONFIG_INVALID', `${name} must not be negative, not ${value}.`);
}
