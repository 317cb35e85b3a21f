import { describeThrown, OsmosisError, type RewardComponent } from '#domain';
import type { RewardAggregator, ValuedComponent } from './reward.types.js';

/** The sum of value times weight. */
export const weightedSum: RewardAggregator = (components) =>
  components.reduce((sum, { value, weight }) => sum + value * weight, 0);

/**
 * The reward of a rollout. A sum with a hole would teach the model something else than the whole sum, so one missing part
 * makes all absent.
 *
 * @throws OsmosisError REWARD_FAILED when the aggregator gives no finite number
 */
export function aggregate(components: readonly RewardComponent[], aggregator: RewardAggregator): number | null {
  if (!components.every((component): component is ValuedComponent => component.value !== null)) return null;
  let reward: unknown;
  try {
    reward = aggregator(components);
  } catch (error) {
    throw new OsmosisError('REWARD_FAILED', `The aggregator of rewards failed: ${describeThrown(error)}`, {
      cause: error,
    });
  }
  if (typeof reward === 'number' && Number.isFinite(reward)) return reward;
  throw new OsmosisError('REWARD_FAILED', `The aggregator of rewards gave ${String(reward)}, not a finite number`);
}
