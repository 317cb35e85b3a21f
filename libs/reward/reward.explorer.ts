import { Inject, Injectable } from '@nestjs/common';
import { AGENT_METADATA, IsolatedMethods, type AgentDescriptor } from '#agent';
import {
  DefinitionProblems,
  MetadataAccessor,
  MethodInvoker,
  ProviderExplorer,
  type BoundMethod,
  type Class,
  type DecoratedMethod,
  type ProviderDescriptor,
} from '#discovery';
import { OsmosisError, type Cancellation } from '#domain';
import { REWARD_METADATA, type RewardMetadata, type RewardOptions } from './decorators/reward.decorator.js';
import { rewardTimedOut } from './reward.error.js';
import { REWARD_OPTIONS, type RewardModuleOptions } from './reward.options.js';
import type { ValueReward } from './reward.types.js';
import { signatureOf, rewardFaults } from './reward.signature.js';

/** A decorated reward with whom it scores. */
export interface FoundReward {
  readonly reward: ValueReward;
  readonly module: string;
  readonly type: Class;
  scores(agent: AgentDescriptor): boolean;
}

/** Finds the methods with `@Reward` and checks their signatures. Reports every fault it meets. */
@Injectable()
export class RewardExplorer {
  constructor(
    private readonly explorer: ProviderExplorer,
    private readonly invoker: MethodInvoker,
    private readonly problems: DefinitionProblems,
    private readonly isolation: IsolatedMethods,
    @Inject(REWARD_OPTIONS) private readonly options: RewardModuleOptions,
  ) {}

  get moduleCount(): number {
    return this.explorer.moduleCount;
  }

  explore(): FoundReward[] {
    return this.explorer
      .explore()
      .filter((provider) => !MetadataAccessor.isOnlyInherited(AGENT_METADATA, provider.type))
      .flatMap((provider) =>
        MetadataAccessor.methodsOf<RewardMetadata>(REWARD_METADATA, provider.type).flatMap((method) =>
          this.isLegal(provider, method) ? [this.describe(provider, method)] : [],
        ),
      );
  }

  private isLegal(provider: ProviderDescriptor, method: DecoratedMethod<RewardOptions>): boolean {
    const faults = rewardFaults(method);
    const where = `${provider.type.name}.${method.methodName}`;
    this.problems.report(...faults.map((fault) => ({ ...fault, where, module: provider.module })));
    return faults.length === 0;
  }

  private describe(provider: ProviderDescriptor, method: DecoratedMethod<RewardMetadata>): FoundReward {
    const { name, weight, agents } = method.metadata;
    const isolated = method.metadata.isolate === true && this.isolation.enabled;
    const bound = isolated
      ? this.bindIsolated(provider, method)
      : this.invoker.bind(provider, method.methodName, 'osmosis:reward');
    const signature = signatureOf(method);
    const ownAgent = MetadataAccessor.ofClass(AGENT_METADATA, provider.type) !== undefined;
    return {
      module: provider.module,
      type: provider.type,
      scores: (agent) =>
        ownAgent
          ? agent.provider.type === provider.type
          : !agents || agents.includes(agent.name) || agents.includes(agent.provider.type),
      reward: {
        name: name ?? method.methodName,
        weight: weight ?? 1,
        where: `${provider.type.name}.${method.methodName}`,
        range: method.metadata.range,
        needsGroundTruth: signature === 'classic',
        isolated,
        invoke: (scope, trajectory, cancellation) => {
          const args =
            signature === 'full'
              ? [trajectory]
              : [trajectory.solutionStr, trajectory.groundTruth, trajectory.extraInfo];
          return isolated ? bound(scope, ...args, cancellation) : bound(scope, ...args);
        },
      },
    };
  }

  /** Guards and interceptors run here, the method itself in a thread. */
  private bindIsolated(
    provider: ProviderDescriptor,
    { methodName, metadata }: DecoratedMethod<RewardMetadata>,
  ): BoundMethod {
    const { timeoutMs } = this.options;
    const run = this.isolation.prepare({
      provider,
      methodName,
      files: metadata.files ?? [],
      limitMs: timeoutMs,
      timedOut: () => rewardTimedOut(`${provider.type.name}.${methodName}`, timeoutMs),
      failed: (message, cause) => new OsmosisError('REWARD_FAILED', message, { cause }),
    });
    const standIn = (solution: string, truth: string, extra: unknown, cancellation: Cancellation): Promise<unknown> =>
      run([solution, truth, extra], cancellation.signal);
    return this.invoker.bind(provider, methodName, 'osmosis:reward', standIn);
  }
}
