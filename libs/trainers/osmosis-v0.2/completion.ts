import { jsonSafe, type RolloutOutcome, type SampleNotes } from '#domain';
import { finiteOrAbsent, wireFailure, wireMetrics, wireReward } from '../http/outcome.json.js';
import { lenientJson } from '../transport/index.js';

/**
 * The body of the completion callback (spec 1.5): fields in the reference's order, declared fields that are null left
 * out, free-form ones kept as they are. Always strict JSON: an outcome is delivered whatever its messages hold.
 *
 * What the reference has no field for goes into `extra_fields`, which it leaves to the server: `failure` and `rewards`,
 * and what the agent has said of the sample: `remove_sample` and `metrics`.
 */
export function renderCompletion(outcome: RolloutOutcome): string {
  const { rolloutId, status, finalMessages, finishReason, errorMessage, reward, rewards, metrics, failure, sample } =
    outcome;
  return lenientJson({
    rollout_id: rolloutId,
    status,
    final_messages: finalMessages,
    finish_reason: finishReason ?? undefined,
    error_message: errorMessage ?? undefined,
    // A sample that is not to be trained on has no reward that could be taken for one.
    reward: sample?.removed ? undefined : finiteOrAbsent(reward),
    metrics: wireMetrics(metrics),
    extra_fields: {
      failure: failure ? wireFailure(failure) : undefined,
      rewards:
        rewards.length > 0 ? Object.fromEntries(rewards.map((part) => [part.name, wireReward(part)])) : undefined,
      ...(sample && wireNotes(sample)),
    },
  });
}

function wireNotes({ removed, metrics }: SampleNotes): Record<string, unknown> {
  return {
    remove_sample: removed || undefined,
    metrics: Object.keys(metrics).length > 0 ? jsonSafe(metrics).value : undefined,
  };
}
