import { IsArray, IsBoolean, IsIn, IsNotEmpty, IsNumber, IsObject, IsOptional, IsString } from 'class-validator';

/**
 * Body of `POST /rollout`. A type and a description: the decorators do not run, `readRolloutRequest` checks the body (and
 * takes more spellings of a number than they tell).
 */
export class RolloutRequestDto {
  /** The conversation so far, in OpenAI's shape. */
  @IsArray() @IsObject({ each: true }) initial_messages!: Record<string, unknown>[];
  /** The ground truth. Without it and without metadata no reward is computed. */
  @IsOptional() @IsString() label?: string | null;
  /** Of the dataset's row. */
  @IsOptional() @IsObject() metadata?: Record<string, unknown> | null;
  /** A single path segment; made by the server when it is missing. */
  @IsOptional() @IsString() @IsNotEmpty() rollout_id?: string | null;
  /** Base URL of an OpenAI-compatible server: `/chat/completions` is called below it. */
  @IsString() chat_completions_url!: string;
  /** Bearer for the callbacks. */
  @IsOptional() @IsString() controller_api_key?: string | null;
  /** Bearer for the chat calls; `controller_api_key` serves when it is missing. */
  @IsOptional() @IsString() @IsNotEmpty() llm_api_key?: string | null;
  /** Told when the agent has ended. */
  @IsString() completion_callback_url!: string;
  /** Told the sample and its reward. */
  @IsOptional() @IsString() grader_callback_url?: string | null;
  /** Seconds from the acceptance to the end of the agent. */
  @IsOptional() @IsNumber() agent_timeout_sec?: number | null;
  /** Seconds for the rewards. */
  @IsOptional() @IsNumber() grader_timeout_sec?: number | null;
  /** Kept in the trajectory's document, and for nothing else. */
  @IsOptional() @IsObject() extra_fields?: Record<string, unknown> | null;
}

/** Answer of `GET /rollout/{rollout_id}/status`. */
export class StatusDto {
  @IsString() rollout_id!: string;
  @IsIn(['queued', 'running', 'grading', 'success', 'failure', 'cancelled', 'unknown'])
  status!: 'queued' | 'running' | 'grading' | 'success' | 'failure' | 'cancelled' | 'unknown';
  @IsOptional() @IsNumber() reward!: number | null;
  @IsOptional() @IsString() err_message!: string | null;
}

/** Body of `POST /rollout/cancel`: exactly one of them. */
export class CancelRequestDto {
  @IsOptional() @IsString({ each: true }) ids?: string[] | null;
  @IsOptional() @IsString() @IsNotEmpty() prefix?: string | null;
  @IsOptional() @IsBoolean() all?: boolean = false;
}

/** Answer of `POST /rollout/cancel`: what became of each rollout, by id. */
export class CancelResultDto {
  @IsObject() dispositions!: Record<string, 'cancelled_queued' | 'cancelled_running' | 'not_found'>;
}
