import { Type } from 'class-transformer';
import {
  IsArray,
  IsIn,
  IsInt,
  IsNotEmpty,
  IsObject,
  IsOptional,
  IsString,
  IsUrl,
  MaxLength,
  ValidateNested,
} from 'class-validator';

/**
 * Body of `POST /v1/rollout/init`. A type and a description: the decorators do not run, `readInitRequest` checks the body
 * (and takes more spellings of a number than they tell).
 */
export class InitRequestDto {
  /** Chosen by the trainer, 1 to 256 Unicode code points, not blank. */
  @IsString() @IsNotEmpty() @MaxLength(256) rollout_id!: string;
  /** Base URL of the trainer: `/v1/chat/completions` and `/v1/rollout/completed` are called below it. */
  @IsUrl({ protocols: ['http', 'https'], require_tld: false }) server_url!: string;
  /** The conversation so far, in OpenAI's shape. */
  @IsArray() @IsObject({ each: true }) messages!: Record<string, unknown>[];
  /** Sampling parameters for every chat call. */
  @IsObject() completion_params!: Record<string, unknown>;
  @IsOptional() @IsString() tool_server_url?: string | null;
  /** Chat calls at most. */
  @IsOptional() @IsInt() max_turns?: number = 10;
  /** Tokens of the whole conversation at most. */
  @IsOptional() @IsInt() max_tokens_total?: number = 8192;
  /** Free-form, 1 MiB as JSON at most. A `ground_truth` in it lets the rewards run. */
  @IsOptional() @IsObject() metadata?: Record<string, unknown> = {};
  /** Bearer for the calls to the trainer. */
  @IsOptional() @IsString() api_key?: string | null;
  /** A repeated request with the same key starts no second rollout; `rollout_id` serves when it is absent. */
  @IsOptional() @IsString() idempotency_key?: string | null;
}

/** The function of a tool, its parameters as JSON Schema. */
export class ToolFunctionDto {
  @IsString() name!: string;
  @IsString() description!: string;
  @IsObject() parameters!: Record<string, unknown>;
}

export class ToolDto {
  @IsIn(['function']) type!: 'function';
  @ValidateNested() @Type(() => ToolFunctionDto) function!: ToolFunctionDto;
}

/** Answer of `POST /v1/rollout/init`: 202. */
export class InitResponseDto {
  /** Of the request that started the rollout. */
  @IsString() rollout_id!: string;
  @ValidateNested({ each: true }) @Type(() => ToolDto) tools!: ToolDto[];
}
