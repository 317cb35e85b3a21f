import type { RolloutOutcome } from '#domain';
import { finiteOrAbsent, wireFailure, wireMetrics, wireReward } from '../http/outcome.json.js';
import { lenientJson } from '../transport/index.js';

/**
 * The body of the completion callback (spec 1.5): fields in the reference's order, declared fields that are null left
 * out, free-form ones kept as they are. Always strict JSON: an outcome is delivered whatever its messages hold.
 *
 * What the reference has no field for goes into `extra_fields`, which it leaves to the server: `failure` and `rewards`.
 */
export function renderCompletion(outcome: RolloutOutcome): string {
  const { rolloutId, status, finalMessages, finishReason, errorMessage, reward, rewards, metrics, failure } = outcome;
  return lenientJson({
    rollout_id: rolloutId,
    status,
    final_messages: finalMessages,
    finish_reason: finishReason ?? undefined,
    error_message: errorMessage ?? undefined,
    reward: finiteOrAbsent(reward),
    metrics: wireMetrics(metrics),
    extra_fields: {
      failure: failure ? wireFailure(failure) : undefined,
      rewards:
        rewards.length > 0 ? Object.fromEntries(rewards.map((part) => [part.name, wireReward(part)])) : undefined,
    },
  });
}
