import type { Failure, RewardComponent, RolloutMetrics } from '#domain';

/** The figures of a rollout, for JSON. */
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
export function finiteOrAbsent(value: number | null): number | undefined {
  return value !== null && Number.isFinite(value) ? value : undefined;
}

function figure(value: number): number {
  return Number.isFinite(value) ? value : 0;
}
