import type { ChatCompletion } from './chat-model.js';
import type { ToolMessage } from './message.js';

/** What only a running rollout knows of its trajectory. Messages are kept by identity, nothing is copied. */
export interface TrajectoryRecord {
  readonly chats: readonly RecordedChat[];
  readonly tools: readonly RecordedTool[];
}

/** A chat call that was answered. */
export interface RecordedChat {
  readonly completion: ChatCompletion;
  /** Milliseconds since the epoch. */
  readonly answeredAt: number;
  readonly latencyMs: number;
}

/** A tool call that was answered, also with an error. */
export interface RecordedTool {
  readonly message: ToolMessage;
  /** Milliseconds since the epoch. */
  readonly answeredAt: number;
  readonly durationMs: number;
  readonly failed: boolean;
}

/** What a trainer reports of a trajectory when it acknowledges a message (spec 0.3, section 1.10). */
export interface TrajectoryReport {
  readonly model_name?: string;
  readonly samples: Readonly<Record<string, SampleReport>>;
}

export interface SampleReport {
  readonly model_name?: string;
  /** In the order in which the calls were made. */
  readonly llm_call_metrics: readonly ReportedCall[];
  readonly final_metrics?: Readonly<Record<string, unknown>>;
}

export interface ReportedCall {
  readonly prompt_tokens?: number;
  readonly completion_tokens?: number;
  readonly cached_tokens?: number;
  readonly cost_usd?: number;
  readonly prompt_token_ids?: readonly number[];
  readonly completion_token_ids?: readonly number[];
  readonly logprobs?: readonly number[];
  readonly model_name?: string;
  readonly extra?: Readonly<Record<string, unknown>>;
}
