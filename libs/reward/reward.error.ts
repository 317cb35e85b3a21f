import { OsmosisError } from '#domain';

/** The clock cut it short: neither the agent nor the reward has said anything of the answer (case RW-10). */
export function rewardTimedOut(where: string, limitMs: number): OsmosisError {
  return new OsmosisError(
    'REWARD_TIMEOUT',
    `Reward ${where} did not finish within its timeout of ${limitMs} ms (rewards.timeoutMs)`,
  );
}
