import { requirePositive } from '#agent';
import { systemClock, type Clock } from '#domain';
import { weightedSum } from './reward.aggregation.js';
import type { RewardAggregator } from './reward.types.js';

export const REWARD_OPTIONS = Symbol('REWARD_OPTIONS');

export interface RewardModuleOptions {
  /** Milliseconds one reward may take. Default 60,000. */
  readonly timeoutMs: number;
  /** Default: the sum of value times weight. */
  readonly aggregator: RewardAggregator;
  readonly clock: Clock;
}

/** @throws OsmosisError CONFIG_INVALID */
export function rewardOptions(input: Partial<RewardModuleOptions> = {}): RewardModuleOptions {
  const timeoutMs = input.timeoutMs ?? 60_000;
  requirePositive('rewards.timeoutMs', timeoutMs);
  return { timeoutMs, aggregator: input.aggregator ?? weightedSum, clock: input.clock ?? systemClock };
}
