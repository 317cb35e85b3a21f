import { Injectable, Optional, type OnModuleInit } from '@nestjs/common';
import { AGENT_METADATA, type AgentDescriptor } from '#agent';
import {
  MetadataAccessor,
  MethodInvoker,
  ProviderExplorer,
  type InvocationScope,
  type ProviderDescriptor,
} from '#discovery';
import type { DefinitionProblem } from '#domain';
import { RewardRegistry, type ComponentReward, type RewardSource, type RolloutTrajectory } from '#reward';
import type { RubricMetadata } from './decorators/rubric.decorator.js';
import { RubricRewards } from './rubric.rewards.js';

type Provide = (scope: InvocationScope, trajectory: RolloutTrajectory) => Promise<unknown>;

/** Makes the application's `@Rubric`s rewards like any other. */
@Injectable()
export class RubricRewardSource implements RewardSource, OnModuleInit {
  constructor(
    private readonly explorer: ProviderExplorer,
    private readonly invoker: MethodInvoker,
    private readonly rubrics: RubricRewards,
    /** Absent in programs that judge without serving agents. */
    @Optional() private readonly registry?: RewardRegistry,
  ) {}

  onModuleInit(): void {
    this.registry?.addSource(this);
  }

  problems(): readonly DefinitionProblem[] {
    return this.explorer.explore().flatMap(({ type, module }) => this.rubrics.problemsOf(type, module));
  }

  rewardsOf(agent: AgentDescriptor): readonly ComponentReward[] {
    return this.explorer.explore().flatMap((provider) =>
      this.rubrics
        .rubricsOf(provider.type)
        .filter((metadata) => scores(provider, metadata, agent))
        .map((metadata) => this.describe(provider, metadata)),
    );
  }

  private describe(provider: ProviderDescriptor, metadata: RubricMetadata): ComponentReward {
    const { id, weight = 1, member } = metadata;
    const provide = this.providerOf(provider, metadata);
    return {
      name: id,
      weight,
      where: member === undefined ? provider.type.name : `${provider.type.name}.${member}`,
      needsGroundTruth: false,
      score: (scope, trajectory, cancellation) =>
        this.rubrics.scoreWith(metadata, () => provide(scope, trajectory), {
          solutionStr: trajectory.solutionStr,
          groundTruth: trajectory.groundTruth ?? null,
          originalInput: trajectory.question || null,
          cancellation,
        }),
    };
  }

  /** What a member gives to its judge: a property its value, a method what it returns, a class nothing. */
  private providerOf(provider: ProviderDescriptor, { target, member }: RubricMetadata): Provide {
    if (member === undefined) return async () => undefined;
    if (target === 'method') {
      const bound = this.invoker.bind(provider, member, 'osmosis:reward');
      return (scope, trajectory) => bound(scope, trajectory);
    }
    return async (scope) => {
      const instance = provider.instance ?? (await scope.resolve(provider));
      return (instance as Record<string, unknown>)[member];
    };
  }
}

function scores({ type }: ProviderDescriptor, { agents }: RubricMetadata, agent: AgentDescriptor): boolean {
  if (MetadataAccessor.ofClass(AGENT_METADATA, type) !== undefined) return agent.provider.type === type;
  return !agents || agents.includes(agent.name);
}
