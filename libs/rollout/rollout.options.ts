import { requirePositive } from '#agent';
import { OsmosisError, systemClock, type BackoffPolicy, type Clock } from '#domain';
import type { Crew } from './crew/crew.js';
import type { RolloutStore } from './store/rollout.store.js';

export const ROLLOUT_OPTIONS = Symbol('ROLLOUT_OPTIONS');

export interface DeliveryOptions {
  /** Default: from one second, doubled each time, to five minutes. */
  readonly backoff: BackoffPolicy;
  /** How long delivery of one completion is tried, in milliseconds. Default 24 hours. */
  readonly horizonMs: number;
  /** Attempts after the first, at most; undefined: as many as the horizon allows. */
  readonly maxRetries: number | undefined;
  /** Completions that one trainer is sent at a time. Default 64. */
  readonly perTrainer: number;
}

export interface RolloutModuleOptions {
  /** Rollouts that run at once; more wait in a queue. Default 1,000. */
  readonly maxConcurrent: number;
  /** Rollouts that may wait for a slot; beyond it inits are answered 429. Default 100,000. */
  readonly maxQueued: number;
  /** Milliseconds of blocked event loop at which inits are answered 429. Default 5,000. */
  readonly maxLagMs: number;
  /**
   * Milliseconds from the init's acceptance to the end of scoring. Default 600,000. A request overrides it with
   * `deadline_seconds` in its metadata.
   */
  readonly deadlineMs: number;
  /** Milliseconds a rollout may wait for a slot. Default: as long as its deadline. */
  readonly maxQueueMs: number | undefined;
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
  /**
   * Writes the trajectory of every finished rollout as an ATIF document under `dataDir`. Default false: a file a rollout
   * costs throughput.
   */
  readonly trajectories: boolean;
  /** Where rollouts are kept: `sqlite` survives crashes and restarts, `memory` (the default) forgets with the process. */
  readonly store: 'memory' | 'sqlite' | RolloutStore;
  /** Folder of the SQLite store, and of the trajectories. Default `.osmosis`. */
  readonly dataDir: string;
  /**
   * The workers of this server, when it has several; they need the SQLite store. `osmosis serve --workers` sets it.
   * Undefined: the server is one process.
   */
  readonly crew: Crew | undefined;
  readonly delivery: DeliveryOptions;
  readonly clock: Clock;
}

export type RolloutModuleInput = Partial<Omit<RolloutModuleOptions, 'delivery'>> & {
  readonly delivery?: Partial<DeliveryOptions>;
};

const LIMITS = {
  maxConcurrent: 1_000,
  maxQueued: 100_000,
  maxLagMs: 5_000,
  deadlineMs: 600_000,
  recordTtlMs: 3_600_000,
  maxRecords: 100_000,
  cleanupIntervalMs: 60_000,
  shutdownGraceMs: 5_000,
} as const;

const MAY_BE_ZERO = new Set<string>(['maxQueued', 'shutdownGraceMs']);
const COUNTS = new Set<string>(['maxConcurrent', 'maxQueued', 'maxRecords']);

const DELIVERY: DeliveryOptions = {
  backoff: { baseDelayMs: 1_000, maxDelayMs: 300_000 },
  horizonMs: 24 * 3_600_000,
  maxRetries: undefined,
  perTrainer: 64,
};

/** @throws OsmosisError CONFIG_INVALID naming the option */
export function rolloutOptions(input: RolloutModuleInput = {}): RolloutModuleOptions {
  const limits = { ...LIMITS } as { -readonly [Name in keyof typeof LIMITS]: number };
  for (const name of Object.keys(LIMITS) as (keyof typeof LIMITS)[]) {
    limits[name] = input[name] ?? LIMITS[name];
    if (MAY_BE_ZERO.has(name)) requireNotNegative(`rollouts.${name}`, limits[name]);
    else requirePositive(`rollouts.${name}`, limits[name]);
    if (COUNTS.has(name)) requireWhole(`rollouts.${name}`, limits[name]);
  }
  const store = storeOf(input.store ?? 'memory');
  if (input.crew && store !== 'sqlite') throw storeNotShared(store);
  if (input.maxQueueMs !== undefined) requirePositive('rollouts.maxQueueMs', input.maxQueueMs);
  return {
    ...limits,
    maxQueueMs: input.maxQueueMs,
    traceDir: input.traceDir || undefined,
    trajectories: input.trajectories ?? false,
    store,
    dataDir: input.dataDir || '.osmosis',
    crew: input.crew,
    delivery: deliveryOptions(input.delivery),
    clock: input.clock ?? systemClock,
  };
}

function deliveryOptions(input: Partial<DeliveryOptions> = {}): DeliveryOptions {
  const delivery: DeliveryOptions = {
    backoff: input.backoff ?? DELIVERY.backoff,
    horizonMs: input.horizonMs ?? DELIVERY.horizonMs,
    maxRetries: input.maxRetries,
    perTrainer: input.perTrainer ?? DELIVERY.perTrainer,
  };
  requirePositive('rollouts.delivery.backoff.baseDelayMs', delivery.backoff.baseDelayMs);
  requirePositive('rollouts.delivery.backoff.maxDelayMs', delivery.backoff.maxDelayMs);
  requirePositive('rollouts.delivery.horizonMs', delivery.horizonMs);
  requirePositive('rollouts.delivery.perTrainer', delivery.perTrainer);
  requireWhole('rollouts.delivery.perTrainer', delivery.perTrainer);
  if (delivery.maxRetries !== undefined) requireNotNegative('rollouts.delivery.maxRetries', delivery.maxRetries);
  return delivery;
}

function storeOf(store: RolloutModuleOptions['store']): RolloutModuleOptions['store'] {
  if (typeof store === 'object' || store === 'memory' || store === 'sqlite') return store;
  throw new OsmosisError('CONFIG_INVALID', `rollouts.store must be 'memory' or 'sqlite', not '${String(store)}'.`);
}

function storeNotShared(store: RolloutModuleOptions['store']): OsmosisError {
  const found = typeof store === 'object' ? "the application's own" : `'${store}'`;
  return new OsmosisError(
    'CONFIG_INVALID',
    `Several workers need the store 'sqlite' (rollouts.store), which they share; with ${found}, a request that comes ` +
      'twice would run twice. Use the store sqlite, or one worker.',
  );
}

function requireNotNegative(name: string, value: number): void {
  if (value >= 0) return;
  throw new OsmosisError('CONFIG_INVALID', `${name} must not be negative, not ${value}.`);
}

function requireWhole(name: string, value: number): void {
  if (Number.isInteger(value)) return;
  throw new OsmosisError('CONFIG_INVALID', `${name} must be a whole number, not ${value}.`);
}
