import { Logger } from '@nestjs/common';
import { jsonSafe, type RolloutOutcome, type RolloutRequest } from '#domain';
import { wireFailure, wireMetrics, wireReward } from '../http/outcome.json.js';
import { lenientJson } from '../transport/index.js';
import { errorCategory } from './error-category.js';

const logger = new Logger('OsmosisV03');

/**
 * The body of the completion callback (spec 1.8): how the agent has ended, all keys there. `extra_fields`, which the
 * reference never fills, holds our `failure` when there is one.
 */
export function renderCompletion({ rolloutId, status, errorMessage, failure }: RolloutOutcome): string {
  const failed = status === 'ERROR' ? failure : null;
  return lenientJson({
    status: status === 'COMPLETED' ? 'success' : 'failure',
    rollout_id: rolloutId,
    extra_fields: failed && { failure: wireFailure(failed) },
    err_message: status === 'ERROR' ? errorMessage : null,
    err_category: failed && errorCategory(failed),
  });
}

/**
 * The body of the grader callback (spec 1.9). Whoever reads it takes any number for a reward, so there is one for a kept
 * and successful sample only. Where there was nothing to grade it is a bare failure: the trainer waits for it all the same.
 */
export function renderGrade(request: RolloutRequest, outcome: RolloutOutcome): string {
  const { rolloutId, status, reward, failure, sample } = outcome;
  const removed = sample?.removed === true;
  const graded = status === 'COMPLETED' && (reward !== null || failure !== null || removed);
  const failed = graded ? failure : null;
  const success = graded && failure === null;
  return lenientJson({
    status: success ? 'success' : 'failure',
    rollout_id: rolloutId,
    sample: graded ? wireSample(request, outcome, success && !removed ? reward : null) : null,
    err_message: failed && failed.message,
    err_category: failed && errorCategory(failed),
  });
}

function wireSample(request: RolloutRequest, outcome: RolloutOutcome, reward: number | null): Record<string, unknown> {
  const { finalMessages, finishReason, metrics, rewards, sample } = outcome;
  return {
    messages: finalMessages,
    label: request.label ?? null,
    reward,
    remove_sample: sample?.removed === true,
    metrics: { ...wireMetrics(metrics), ...ownMetrics(outcome) },
    extra_fields: {
      finish_reason: finishReason,
      ...(rewards.length > 0 && { rewards: Object.fromEntries(rewards.map((part) => [part.name, wireReward(part)])) }),
    },
  };
}

function ownMetrics({ rolloutId, sample }: RolloutOutcome): Record<string, unknown> {
  if (!sample) return {};
  const { value, dropped } = jsonSafe(sample.metrics);
  if (dropped.size > 0) {
    const kinds = [...dropped].join(', ');
    logger.warn(`rollout ${JSON.stringify(rolloutId)}: metrics that have no JSON form are not sent: ${kinds}`);
  }
  return value as Record<string, unknown>;
}
