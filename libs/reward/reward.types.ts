import type { InvocationScope } from '#discovery';
import type { RewardComponent } from '#domain';
import type { ExtraInfo } from './decorators/reward.decorator.js';

/** What a reward is given. */
export interface RewardInput {
  /** Text of the last assistant message that has any; `''` when none has. */
  readonly solutionStr: string;
  readonly groundTruth: string;
  readonly extraInfo: ExtraInfo;
}

export interface RewardDescriptor {
  readonly name: string;
  readonly weight: number;
  /** `Class.method`, for messages. */
  readonly where: string;
  invoke(scope: InvocationScope, input: RewardInput): Promise<unknown>;
}

export interface RewardScore {
  /** The weighted sum; null when any component could not be computed. */
  readonly reward: number | null;
  readonly components: readonly RewardComponent[];
}
