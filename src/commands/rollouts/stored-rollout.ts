import type { Failure, RewardComponent, RolloutMetrics } from '#domain';
import type { OutcomeSummary, StoredRollout } from '#rollout';
import type { DeliveryJson, FailureJson, RewardJson, RolloutJson } from './rollout-json.js';

/**
 * A stored rollout in the form of the control routes. Their own renderer comes with Nest, which a quick command cannot
 * load; a test of real processes compares the two.
 */
export function storedRolloutJson(stored: StoredRollout): RolloutJson {
  const outcome = stored.summary === null ? null : (JSON.parse(stored.summary) as OutcomeSummary);
  return {
    rollout_id: stored.rolloutId,
    agent: stored.agent,
    dialect: stored.dialect,
    state: stored.state,
    phase: null,
    status: stored.status,
    accepted_at: isoTime(stored.acceptedAt),
    started_at: isoTimeOrNull(stored.startedAt),
    sealed_at: isoTimeOrNull(stored.sealedAt),
    ended_at: isoTimeOrNull(stored.endedAt),
    elapsed_ms: {},
    turns: outcome?.metrics.numLlmCalls ?? 0,
    metrics: outcome && metricsJson(outcome.metrics),
    finish_reason: outcome?.finishReason ?? null,
    error_message: outcome?.errorMessage ?? null,
    reward: outcome?.reward ?? null,
    rewards: outcome?.rewards.map(rewardJson) ?? [],
    failure: outcome?.failure ? failureJson(outcome.failure) : null,
    delivery: deliveryJson(stored),
  };
}

function deliveryJson({ announcement, delivery, attempts }: StoredRollout): DeliveryJson | null {
  if (delivery === null) return null;
  return {
    state: announcement === 'dead' ? 'dead' : delivery,
    // Only failed attempts are stored one by one.
    attempts: attempts.length + [announcement, delivery].filter((end) => end === 'delivered').length,
    last_error: attempts.at(-1)?.error ?? null,
    next_attempt_at: null,
    failures: attempts.map(({ number, at, error }) => ({ number, at: isoTime(at), error })),
  };
}

function metricsJson(metrics: RolloutMetrics): Readonly<Record<string, number>> {
  return {
    total_latency_ms: metrics.totalLatencyMs,
    llm_latency_ms: metrics.llmLatencyMs,
    tool_latency_ms: metrics.toolLatencyMs,
    num_llm_calls: metrics.numLlmCalls,
    num_tool_calls: metrics.numToolCalls,
    prompt_tokens: metrics.promptTokens,
    response_tokens: metrics.responseTokens,
    max_context_tokens: metrics.maxContextTokens,
  };
}

function rewardJson({ name, value, weight, durationMs, failure }: RewardComponent): RewardJson {
  return {
    name,
    value: value ?? undefined,
    weight,
    duration_ms: durationMs,
    failure: failure && failureJson(failure),
  };
}

function failureJson({ class: kind, phase, code, message, retryable, evidence }: Failure): FailureJson {
  return { class: kind, phase, code, message, retryable, evidence };
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

function isoTimeOrNull(ms: number | null): string | null {
  return ms === null ? null : isoTime(ms);
}
