/**
 * ATIF-v1.7, the Agent Trajectory Interchange Format: what it has fields for, in the order in which they are written
 * (spec 0.3, section 2.3). Fields without a value are left out; nulls stand inside free-form objects only.
 */

export const ATIF_VERSION = 'ATIF-v1.7';

export type FreeForm = Readonly<Record<string, unknown>>;

export interface AtifDocument {
  readonly schema_version: string;
  readonly session_id?: string;
  readonly trajectory_id?: string;
  readonly agent: AtifAgent;
  /** At least one. */
  readonly steps: readonly AtifStep[];
  readonly notes?: string;
  readonly final_metrics?: AtifFinalMetrics;
  readonly continued_trajectory_ref?: string;
  readonly extra?: FreeForm;
  readonly subagent_trajectories?: readonly AtifDocument[];
}

export interface AtifAgent {
  readonly name: string;
  readonly version: string;
  readonly model_name?: string;
  readonly tool_definitions?: readonly FreeForm[];
  readonly extra?: FreeForm;
}

export type AtifSource = 'system' | 'user' | 'agent';

export interface AtifStep {
  /** Its place in the list, from 1. */
  readonly step_id: number;
  /** ISO 8601. */
  readonly timestamp?: string;
  readonly source: AtifSource;
  readonly model_name?: string;
  readonly reasoning_effort?: string | number;
  readonly message: string | readonly AtifContentPart[];
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly AtifToolCall[];
  readonly observation?: AtifObservation;
  readonly metrics?: AtifMetrics;
  readonly is_copied_context?: boolean;
  readonly llm_call_count?: number;
  readonly extra?: FreeForm;
}

export interface AtifToolCall {
  readonly tool_call_id: string;
  readonly function_name: string;
  readonly arguments: FreeForm;
  readonly extra?: FreeForm;
}

export interface AtifObservation {
  readonly results: readonly AtifResult[];
}

export interface AtifResult {
  /** The id of a tool call of the same step. */
  readonly source_call_id?: string;
  readonly content?: string | readonly AtifContentPart[];
  readonly subagent_trajectory_ref?: readonly FreeForm[];
  readonly extra?: FreeForm;
}

export interface AtifContentPart {
  readonly type: 'text' | 'image';
  readonly text?: string;
  readonly source?: { readonly media_type: string; readonly path: string };
}

/** Figures of one call of the model. */
export interface AtifMetrics {
  readonly prompt_tokens?: number;
  readonly completion_tokens?: number;
  readonly cached_tokens?: number;
  readonly cost_usd?: number;
  readonly prompt_token_ids?: readonly number[];
  readonly completion_token_ids?: readonly number[];
  readonly logprobs?: readonly number[];
  readonly extra?: FreeForm;
}

export interface AtifFinalMetrics {
  readonly total_prompt_tokens?: number;
  readonly total_completion_tokens?: number;
  readonly total_cached_tokens?: number;
  readonly total_cost_usd?: number;
  readonly total_steps?: number;
  readonly extra?: FreeForm;
}
