import type { Failure, RewardComponent, RolloutMetrics, RolloutOutcome } from '#domain';
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

export function wireMetrics(metrics: RolloutMetrics): Record<string, number> {
  return {
    total_latency_ms: figure(metrics.totalLatencyMs),
    llm_latency_ms: figure(metrics.llmLatencyMs),
    tool_latency_ms: figure(metrics.toolLatencyMs),
    num_llm_calls: figure(metrics.numLlmCalls),
    num_tool_calls: figure(metrics.numToolCalls),
    prompt_tokens: figure(metrics.promptTokens),
    response_tokens: figure(metrics.responseTokens),
    max_context_tokens: figure(metrics.maxContextTokens),
  };
}

export function wireReward(component: RewardComponent): Record<string, unknown> {
  return {
    value: finiteOrAbsent(component.value),
    weight: component.weight,
    duration_ms: component.durationMs,
    failure: component.failure ? wireFailure(component.failure) : undefined,
  };
}

export function wireFailure(failure: Failure): Record<string, unknown> {
  return {
    class: failure.class,
    phase: failure.phase,
    code: failure.code,
    message: failure.message,
    retryable: failure.retryable,
    evidence: failure.evidence,
  };
}

/** JSON has no NaN: a reward that is none is absent, never 0 or null (case RW-01). */
function finiteOrAbsent(value: number | null): number | undefined {
  return value !== null && Number.isFinite(value) ? value : undefined;
}

function figure(value: number): number {
  return Number.isFinite(value) ? value : 0;
}
