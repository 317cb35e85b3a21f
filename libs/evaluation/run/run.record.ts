import type { ChatMessage, Failure } from '#domain';

/** Which of two compared models a run is of; null when there is only one. */
export type ModelTag = 'primary' | 'baseline' | null;

/** What names a run within an evaluation. */
export interface RunKey {
  readonly row_index: number;
  /** Counts from 0. */
  readonly run_index: number;
  readonly model_tag: ModelTag;
}

export function keyOf({ row_index, run_index, model_tag }: RunKey): string {
  return `${row_index}/${run_index}/${model_tag ?? ''}`;
}

/** Of one run, further tries of the same run included. */
export interface TokenUsageRecord {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly num_llm_calls: number;
}

/**
 * Whose fault a failed run is. `agent`: an attempt that did not pass. `environment` (the model's server, the connection,
 * a cancellation): tells nothing of the agent and is left out of the pass figures, but counted.
 */
export type Blame = 'agent' | 'environment';

/** One finished run, as it is kept in files. Without its texts see {@link RunSummary}. */
export interface RunRecord extends RunKey {
  readonly rollout_id: string;
  readonly success: boolean;
  readonly finish_reason: string;
  /** Null for a successful run. */
  readonly error: string | null;
  readonly failure: Failure | null;
  readonly blame: Blame | null;
  /** The weighted sum of the agent's rewards; null when absent. */
  readonly reward: number | null;
  /** Scorer → score; null when the scorer failed. Empty for failed runs. */
  readonly scores: Readonly<Record<string, number | null>>;
  /** Scorer → why it gave no score. */
  readonly score_errors: Readonly<Record<string, string>>;
  /** Scorer → what its judge says of the score. */
  readonly score_reasons: Readonly<Record<string, string>>;
  /** Of the agent alone, without scoring. Milliseconds. */
  readonly duration_ms: number;
  readonly llm_latency_ms: number;
  readonly tool_latency_ms: number;
  readonly num_tool_calls: number;
  /** Largest prompt plus completion of one call. */
  readonly max_context_tokens: number;
  readonly token_usage: TokenUsageRecord;
  /** Whether the conversation ended without any text of the assistant (case RS-17). */
  readonly empty_answer: boolean;
  /** 1, and one more for each time the run was tried again. */
  readonly tries: number;
  /** ISO 8601. */
  readonly started_at: string;
  readonly messages: readonly ChatMessage[];
}

/** What is kept in memory of a run. */
export type RunSummary = Omit<RunRecord, 'messages' | 'score_reasons'>;

/** Field by field, which gives all of them one compact shape: there is one for each run of a large evaluation. */
export function summaryOf(record: RunRecord): RunSummary {
  return {
    row_index: record.row_index,
    run_index: record.run_index,
    model_tag: record.model_tag,
    rollout_id: record.rollout_id,
    success: record.success,
    finish_reason: record.finish_reason,
    error: record.error,
    failure: record.failure,
    blame: record.blame,
    reward: record.reward,
    scores: record.scores,
    score_errors: record.score_errors,
    duration_ms: record.duration_ms,
    llm_latency_ms: record.llm_latency_ms,
    tool_latency_ms: record.tool_latency_ms,
    num_tool_calls: record.num_tool_calls,
    max_context_tokens: record.max_context_tokens,
    token_usage: record.token_usage,
    empty_answer: record.empty_answer,
    tries: record.tries,
    started_at: record.started_at,
  };
}
