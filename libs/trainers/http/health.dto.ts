import { Type } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsString, ValidateNested } from 'class-validator';

/** How busy the server is. */
export class ConcurrencyDto {
  /** Rollouts that may run at once. */
  @IsInt() max_concurrent!: number;
  /** Rollouts that wait for a slot. */
  @IsInt() queued!: number;
  @IsInt() running!: number;
}

/** Answer of `GET /health` and `GET /platform/health`. */
export class HealthDto {
  @IsIn(['healthy']) status!: 'healthy';
  /** Name of the agent that `/v1/rollout/init` serves; all names, with commas, when there is no such agent. */
  @IsString() agent_loop!: string;
  /** Accepted and not finished, those waiting for a slot included. */
  @IsInt() active_rollouts!: number;
  @IsInt() completed_rollouts!: number;
  @ValidateNested() @Type(() => ConcurrencyDto) concurrency!: ConcurrencyDto;
  /** Which instance this is, where that was set. */
  @IsOptional() @IsString() instance_id?: string;
}
