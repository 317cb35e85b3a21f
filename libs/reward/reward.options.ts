import { requirePositive } from '#agent';
import { systemClock, type Clock } from '#domain';

export const REWARD_OPTIONS = Symbol('REWARD_OPTIONS');

export interface RewardModuleOptions {
  /** Milliseconds one reward may take. Default 60,000. */
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/** @throws OsmosisError CONFIG_INVALID */
export function rewardOptions(input: Partial<RewardModuleOptions> = {}): RewardModuleOptions {
  const timeoutMs = input.timeoutMs ?? 60_000;
  requirePositive('rewards.timeoutMs', timeoutMs);
  return { timeoutMs, clock: input.clock ?? systemClock };
}
