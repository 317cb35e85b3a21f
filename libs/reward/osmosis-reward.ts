import { describeThrown, OsmosisError } from '#domain';
import type { ClassicRewardMethod, ExtraInfo } from './decorators/reward.decorator.js';
import { requireScore } from './reward.value.js';

/** A checked reward: awaits the function, and gives a finite number or rejects. */
export type CheckedReward = (solutionStr: string, groundTruth: string, extraInfo?: ExtraInfo) => Promise<number>;

export interface OsmosisRewardOptions {
  /** For messages. Default: the function's name. */
  readonly name?: string;
  readonly range?: readonly [min: number, max: number];
}

/**
 * Wraps a plain function with the checks that `@Reward` makes, for use outside Nest.
 *
 * @throws TypeError at once, when the function does not take `(solutionStr, groundTruth, extraInfo?)`
 */
export function osmosisReward(reward: ClassicRewardMethod, options: OsmosisRewardOptions = {}): CheckedReward {
  const name = options.name ?? (reward.name || 'reward');
  if (reward.length < 2 || reward.length > 3) {
    throw new TypeError(
      `${name} takes ${reward.length} parameters. Write it as (solutionStr, groundTruth, extraInfo?) => number.`,
    );
  }
  return async (solutionStr, groundTruth, extraInfo = {}) => {
    let value: unknown;
    try {
      value = await reward(solutionStr, groundTruth, extraInfo);
    } catch (error) {
      throw new OsmosisError('REWARD_FAILED', `Reward ${name} failed: ${describeThrown(error)}`, { cause: error });
    }
    return requireScore(value, name, options.range);
  };
}
