import { failureOf, type ChatMessage, type Failure, type RolloutMetrics, type RolloutOutcome } from '#domain';

/** An outcome without its messages: what is told of it, and remembered. */
export type OutcomeSummary = Omit<RolloutOutcome, 'rolloutId' | 'finalMessages'>;

export function summaryOf(outcome: RolloutOutcome): OutcomeSummary {
  const { status, finishReason, errorMessage, reward, rewards, metrics, failure, sample } = outcome;
  const summary = { status, finishReason, errorMessage, reward, rewards, metrics, failure };
  return sample ? { ...summary, sample } : summary;
}

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

/** The outcome of a rollout whose agent was not asked, or was asked by a process that is no more. */
export function failedOutcome(rolloutId: string, failure: Failure, messages: readonly ChatMessage[]): RolloutOutcome {
  return Object.freeze({
    rolloutId,
    status: 'ERROR' as const,
    finalMessages: messages,
    finishReason: 'error',
    errorMessage: failure.message,
    reward: null,
    rewards: [],
    metrics: { ...NOTHING_MEASURED, numLlmCalls: messages.filter(({ role }) => role === 'assistant').length },
    failure,
  });
}

export function failedInQueue(rolloutId: string, error: unknown): RolloutOutcome {
  return failedOutcome(rolloutId, failureOf(error, 'queue'), []);
}

/** The one log line of a rollout. Ids and messages are quoted, so that they cannot forge lines (case LC-18). */
export function oneLine(agent: string, outcome: RolloutOutcome): string {
  const { metrics, failure } = outcome;
  const line =
    `rollout ${JSON.stringify(outcome.rolloutId)} agent=${agent} ${outcome.status} finish=${outcome.finishReason} ` +
    `turns=${metrics.numLlmCalls} tools=${metrics.numToolCalls} reward=${outcome.reward ?? 'absent'} ` +
    `ms=${Math.round(metrics.totalLatencyMs)}`;
  if (!failure) return line;
  return `${line} failure=${failure.class}/${failure.phase}/${failure.code} ${JSON.stringify(failure.message.slice(0, 200))}`;
}
