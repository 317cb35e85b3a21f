import { ConfigurableModuleBuilder } from '@nestjs/common';
import { OsmosisError, type Secret } from '#domain';
import type { TrainerClientSettings } from '../client/client.settings.js';

export type ApiKeyOption = string | Secret;

export interface TrainerHttpOptions {
  /**
   * Keys that callers of the trainers' routes and of `GET /platform/health` must present as bearer. Several allow a
   * rotation without downtime. None (also an empty list): init is open and `/platform/health` answers 404. An empty key
   * turns the check on without a key that could match.
   */
  readonly apiKeys?: ApiKeyOption | readonly ApiKeyOption[];
  /** Bytes of a request body at most; 64 MiB by default. Larger ones get 413. */
  readonly bodyLimitBytes?: number;
  /** Bytes of the metadata of a request at most, as Python's JSON text; 1 MiB by default. Larger ones get 422. */
  readonly maxMetadataBytes?: number;
  /** Told at `/health`, so that whoever has started the server knows it again. */
  readonly instanceId?: string;
  /** How the server talks to the trainer. */
  readonly client?: Partial<TrainerClientSettings>;
}

/** Limits of what a caller may send. */
export interface RequestLimits {
  readonly bodyLimitBytes: number;
  readonly maxMetadataBytes: number;
}

const MEBIBYTE = 1024 * 1024;
const DEFAULT_LIMITS: RequestLimits = { bodyLimitBytes: 64 * MEBIBYTE, maxMetadataBytes: MEBIBYTE };

/** @throws OsmosisError `CONFIG_INVALID` naming the option */
export function resolveLimits(options: TrainerHttpOptions): RequestLimits {
  const limits = {
    bodyLimitBytes: options.bodyLimitBytes ?? DEFAULT_LIMITS.bodyLimitBytes,
    maxMetadataBytes: options.maxMetadataBytes ?? DEFAULT_LIMITS.maxMetadataBytes,
  };
  for (const [name, value] of Object.entries(limits)) {
    if (Number.isSafeInteger(value) && value > 0) continue;
    throw new OsmosisError(
      'CONFIG_INVALID',
      `Option ${name} of the trainer routes must be positive bytes, not ${value}.`,
    );
  }
  return limits;
}

export const TRAINER_HTTP_OPTIONS = Symbol.for('nestjs-osmosis:trainer-http:options');

export const { ConfigurableModuleClass: TrainerHttpModuleBase } = new ConfigurableModuleBuilder<TrainerHttpOptions>({
  optionsInjectionToken: TRAINER_HTTP_OPTIONS,
})
  .setClassMethodName('forRoot')
  .setExtras({}, (definition) => ({ ...definition, global: true }))
  .build();
