import { describeThrown, failureOf, getSolutionText, OsmosisError, type Failure } from '#domain';
import type { ProviderRequestError } from '#model';
import type { LocalRolloutResult } from './local.rollout.js';
import type { Blame, RunKey, RunRecord, TokenUsageRecord } from './run.record.js';
import type { ScoreEntries } from './scoring/score.entries.js';

/** A record, and the same as JSON: it is made once. */
export interface RecordedRun {
  readonly record: RunRecord;
  readonly json: string;
}

/** What a run came to, all tries considered. */
export interface RunOutcome {
  readonly key: RunKey;
  readonly rolloutId: string;
  /** Of the last try. */
  readonly result: LocalRolloutResult;
  /** What went wrong with its last call to the model. */
  readonly fault: ProviderRequestError | null;
  readonly entries: ScoreEntries;
  /** ISO 8601. */
  readonly startedAt: string;
  /** All tries in order, the last one included. */
  readonly tries: readonly LocalRolloutResult[];
}

/** An agent can put anything into its messages; a run that cannot be kept failed by its own fault. */
export function recordRun(run: RunOutcome): RecordedRun {
  const record = recordOf(run);
  try {
    return { record, json: JSON.stringify(record) };
  } catch (error) {
    const failed = unkeepable(record, `The conversation cannot be kept: ${describeThrown(error)}`);
    return { record: failed, json: JSON.stringify(failed) };
  }
}

function unkeepable(record: RunRecord, reason: string): RunRecord {
  const failure = failureOf(new OsmosisError('AGENT_FAILED', reason), 'agent');
  const nothing = { reward: null, scores: {}, score_reasons: {}, messages: [] };
  return { ...record, success: false, error: reason, failure, blame: 'agent', ...nothing };
}

function recordOf({ key, rolloutId, result, fault, entries, startedAt, tries }: RunOutcome): RunRecord {
  const { outcome, metrics, durationMs } = result;
  const success = outcome.status === 'COMPLETED';
  // Without a spread: V8 would make a hidden class for each field of each record, a quarter of a run's CPU.
  return {
    row_index: key.row_index,
    run_index: key.run_index,
    model_tag: key.model_tag,
    rollout_id: rolloutId,
    success,
    finish_reason: outcome.finishReason,
    error: success ? null : outcome.errorMessage,
    failure: outcome.failure,
    blame: success ? null : blameFor(outcome.failure, fault),
    reward: outcome.reward,
    scores: entries.scores,
    score_errors: entries.errors,
    score_reasons: entries.reasons,
    duration_ms: durationMs,
    llm_latency_ms: metrics?.llmLatencyMs ?? 0,
    tool_latency_ms: metrics?.toolLatencyMs ?? 0,
    num_tool_calls: metrics?.numToolCalls ?? 0,
    max_context_tokens: metrics?.maxContextTokens ?? 0,
    token_usage: sumTokens(tries),
    empty_answer: success && getSolutionText(outcome.finalMessages).trim() === '',
    tries: tries.length,
    started_at: startedAt,
    messages: outcome.finalMessages,
  };
}

/** What the agent said may be refused for its length or its content: that is the agent's doing, not the server's. */
const AGENTS_OWN: ReadonlySet<string> = new Set(['context_length', 'content_filter']);

const AGENT_CLASSES: ReadonlySet<string | undefined> = new Set(['agent', 'tool', 'deadline']);

/** An agent that reports its model's fault as an error of its own is not to blame for it. */
function blameFor(failure: Failure | null, fault: ProviderRequestError | null): Blame {
  if (fault) return AGENTS_OWN.has(fault.kind) ? 'agent' : 'environment';
  return AGENT_CLASSES.has(failure?.class) ? 'agent' : 'environment';
}

function sumTokens(results: readonly LocalRolloutResult[]): TokenUsageRecord {
  let [prompt, completion, calls] = [0, 0, 0];
  for (const { metrics } of results) {
    prompt += metrics?.promptTokens ?? 0;
    completion += metrics?.responseTokens ?? 0;
    calls += metrics?.numLlmCalls ?? 0;
  }
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    num_llm_calls: calls,
  };
}
