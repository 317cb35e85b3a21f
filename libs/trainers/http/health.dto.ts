import { IsIn, IsInt, IsString } from 'class-validator';

/** Answer of `GET /health` and `GET /platform/health`. */
export class HealthDto {
  @IsIn(['healthy']) status!: 'healthy';
  /** Name of the agent that `/v1/rollout/init` serves; all names, with commas, when there is no such agent. */
  @IsString() agent_loop!: string;
  /** Accepted and not finished, those waiting for a slot included. */
  @IsInt() active_rollouts!: number;
  @IsInt() completed_rollouts!: number;
}
