import type { RolloutView } from '#rollout';
import { wireFailure, wireMetrics, wireReward } from '../http/outcome.json.js';

/** A rollout as the control routes tell it: snake_case like the rest of the wire, times as ISO 8601 text. */
export function rolloutJson(view: RolloutView): Record<string, unknown> {
  return {
    rollout_id: view.rolloutId,
    agent: view.agent,
    dialect: view.dialect,
    state: view.state,
    phase: view.phase,
    status: view.status,
    accepted_at: time(view.acceptedAt),
    started_at: time(view.startedAt),
    sealed_at: time(view.sealedAt),
    ended_at: time(view.endedAt),
    elapsed_ms: view.elapsedMs,
    turns: view.metrics?.numLlmCalls ?? 0,
    metrics: view.metrics && wireMetrics(view.metrics),
    finish_reason: view.outcome?.finishReason ?? null,
    error_message: view.outcome?.errorMessage ?? null,
    reward: view.outcome?.reward ?? null,
    rewards: view.outcome?.rewards.map((part) => ({ name: part.name, ...wireReward(part) })) ?? [],
    failure: view.outcome?.failure ? wireFailure(view.outcome.failure) : null,
    delivery: view.delivery && {
      state: view.delivery.state,
      attempts: view.delivery.attempts,
      last_error: view.delivery.lastError,
      next_attempt_at: time(view.delivery.nextAttemptAt),
      failures: view.delivery.failures.map(({ number, at, error }) => ({ number, at: time(at), error })),
    },
  };
}

function time(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
