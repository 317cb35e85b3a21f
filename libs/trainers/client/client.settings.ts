import { OsmosisError, systemClock, type Clock } from '#domain';

/** How the server talks to trainers of dialect 0.2. */
export interface TrainerClientSettings {
  /** Milliseconds for one chat call: connection, model and answer to the last byte. */
  readonly timeoutMs: number;
  /** Further attempts at a chat call after the first. */
  readonly maxRetries: number;
  readonly retryBaseDelayMs: number;
  readonly retryMaxDelayMs: number;
  /** Milliseconds for one attempt at delivering a completion. How often it is tried is the engine's business. */
  readonly deliveryTimeoutMs: number;
  readonly clock: Clock;
}

export const TRAINER_CLIENT_DEFAULTS: TrainerClientSettings = {
  timeoutMs: 300_000,
  maxRetries: 3,
  retryBaseDelayMs: 1_000,
  retryMaxDelayMs: 30_000,
  deliveryTimeoutMs: 30_000,
  clock: systemClock,
};

/** Injection token of complete {@link TrainerClientSettings}; without it the defaults serve. */
export const TRAINER_CLIENT_SETTINGS = Symbol('TRAINER_CLIENT_SETTINGS');

/** How error texts name the limits: the setting, and the variable that the server's host reads it from (case NT-17). */
export const LIMIT_NAMES = {
  timeoutMs: 'OSMOSIS_ROLLOUT_CLIENT_TIMEOUT_SECONDS, client.timeoutMs',
  deliveryTimeoutMs: 'client.deliveryTimeoutMs',
} as const;

/**
 * Fills in the defaults.
 *
 * @throws OsmosisError CONFIG_INVALID naming the setting and what it may be
 */
export function resolveClientSettings(settings: Partial<TrainerClientSettings> = {}): TrainerClientSettings {
  const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
  const resolved: TrainerClientSettings = { ...TRAINER_CLIENT_DEFAULTS, ...given };
  for (const name of ['timeoutMs', 'retryBaseDelayMs', 'retryMaxDelayMs', 'deliveryTimeoutMs'] as const) {
    if (!(Number.isFinite(resolved[name]) && resolved[name] > 0)) refuse(name, 'a positive number', resolved[name]);
  }
  const { maxRetries } = resolved;
  if (!(Number.isSafeInteger(maxRetries) && maxRetries >= 0)) refuse('maxRetries', 'an integer from 0', maxRetries);
  return resolved;
}

function refuse(name: string, wanted: string, found: unknown): never {
  throw new OsmosisError('CONFIG_INVALID', `The trainer client's ${name} must be ${wanted}, not ${String(found)}.`);
}
