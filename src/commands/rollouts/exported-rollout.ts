import type { RolloutJson } from './rollout-json.js';
import type { RolloutContents } from './rollout-source.js';

/** One line of a JSONL export. */
export function exportedRollout(rollout: RolloutJson, contents: RolloutContents | null): object {
  const { rollout_id: id, agent, status, finish_reason, reward, rewards, metrics, failure } = rollout;
  return {
    rollout_id: id,
    agent,
    status,
    finish_reason,
    reward,
    rewards,
    metrics,
    failure,
    messages: contents?.messages(id) ?? null,
    request: contents?.request(id) ?? null,
  };
}
