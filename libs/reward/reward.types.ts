import type { AgentDescriptor } from '#agent';
import type { InvocationScope } from '#discovery';
import type { Cancellation, DefinitionProblem, RewardComponent } from '#domain';
import type { RolloutTrajectory } from './rollout.trajectory.js';

interface RewardOfAnyKind {
  readonly name: string;
  readonly weight: number;
  /** `Class.method`, for messages. */
  readonly where: string;
  /** Nothing to compare with, nothing to compute: see {@link RewardService.score}. */
  readonly needsGroundTruth: boolean;
}

/** A reward that gives a number, or is to. */
export interface ValueReward extends RewardOfAnyKind {
  /** Least and greatest value, where declared. */
  readonly range: readonly [number, number] | undefined;
  /** It runs in a thread, where its time limit begins with it and is kept. */
  readonly isolated?: boolean;
  invoke(scope: InvocationScope, trajectory: RolloutTrajectory, cancellation: Cancellation): Promise<unknown>;
}

/** A reward that brings its own limits, and says itself why it has no value: a judge. */
export interface ComponentReward extends RewardOfAnyKind {
  /** Never rejects. */
  score(scope: InvocationScope, trajectory: RolloutTrajectory, cancellation: Cancellation): Promise<RewardComponent>;
}

export type RewardDescriptor = ValueReward | ComponentReward;

/** Where rewards come from beside `@Reward`. Register it with {@link RewardRegistry.addSource} in `onModuleInit`. */
export interface RewardSource {
  rewardsOf(agent: AgentDescriptor): readonly RewardDescriptor[];
  /** What is wrong with its definitions. */
  problems(): readonly DefinitionProblem[];
}

export interface RewardScore {
  /** What the aggregator made of the components; null when any of them could not be computed. */
  readonly reward: number | null;
  readonly components: readonly RewardComponent[];
}

/** A component that was computed. */
export type ValuedComponent = RewardComponent & { readonly value: number };

/** Makes one number of an agent's components. Asked only when all have a value. */
export type RewardAggregator = (components: readonly ValuedComponent[]) => number;
