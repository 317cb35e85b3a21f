import { failureOf, type RolloutMetrics, type RolloutOutcome } from '#domain';
import type { RolloutWork } from './rollout.record.js';

const NOTHING_MEASURED: RolloutMetrics = {
  totalLatencyMs: 0,
  llmLatencyMs: 0,
  toolLatencyMs: 0,
  numLlmCalls: 0,
  numToolCalls: 0,
  promptTokens: 0,
  responseTokens: 0,
  maxContextTokens: 0,
};

/** The outcome of a rollout that ended before its agent was asked. */
export function failedBeforeRunning(work: RolloutWork, error: unknown): RolloutOutcome {
  const failure = failureOf(work.cancellation.reason ?? error, 'queue');
  return Object.freeze({
    rolloutId: work.request.rolloutId,
    status: 'ERROR' as const,
    finalMessages: [],
    finishReason: 'error',
    errorMessage: failure.message,
    reward: null,
    rewards: [],
    metrics: NOTHING_MEASURED,
    failure,
  });
}

/** The one log line of a rollout. Ids and messages are quoted, so that they cannot forge lines (case LC-18). */
export function oneLine(work: RolloutWork, outcome: RolloutOutcome): string {
  const { metrics } = outcome;
  const parts = [
    `rollout ${JSON.stringify(outcome.rolloutId)}`,
    `agent=${work.agent.name}`,
    outcome.status,
    `finish=${outcome.finishReason}`,
    `turns=${metrics.numLlmCalls}`,
    `tools=${metrics.numToolCalls}`,
    `reward=${outcome.reward ?? 'absent'}`,
    `ms=${Math.round(metrics.totalLatencyMs)}`,
  ];
  if (outcome.failure) parts.push(`failure=${outcome.failure.class}/${outcome.failure.code}`);
  if (outcome.errorMessage) parts.push(JSON.stringify(outcome.errorMessage.slice(0, 200)));
  return parts.join(' ');
}
