import { Injectable } from '@nestjs/common';
import { AGENT_METADATA, type AgentDescriptor } from '#agent';
import {
  DefinitionProblems,
  MetadataAccessor,
  MethodInvoker,
  ProviderExplorer,
  type Class,
  type DecoratedMethod,
  type ProviderDescriptor,
} from '#discovery';
import { REWARD_METADATA, type RewardOptions } from './decorators/reward.decorator.js';
import type { RewardDescriptor } from './reward.types.js';

/** A decorated reward with whom it scores. */
export interface FoundReward {
  readonly reward: RewardDescriptor;
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
  ) {}

  get moduleCount(): number {
    return this.explorer.moduleCount;
  }

  explore(): FoundReward[] {
    return this.explorer
      .explore()
      .filter((provider) => !MetadataAccessor.isOnlyInherited(AGENT_METADATA, provider.type))
      .flatMap((provider) =>
        MetadataAccessor.methodsOf<RewardOptions>(REWARD_METADATA, provider.type).flatMap((method) =>
          this.isLegal(provider, method) ? [this.describe(provider, method)] : [],
        ),
      );
  }

  private isLegal(provider: ProviderDescriptor, method: DecoratedMethod<RewardOptions>): boolean {
    const faults = [...signatureFaults(method), ...optionFaults(method.metadata)];
    const where = `${provider.type.name}.${method.methodName}`;
    this.problems.report(...faults.map((fault) => ({ ...fault, where, module: provider.module })));
    return faults.length === 0;
  }

  private describe(provider: ProviderDescriptor, method: DecoratedMethod<RewardOptions>): FoundReward {
    const { name, weight, agents } = method.metadata;
    const bound = this.invoker.bind(provider, method.methodName, 'osmosis:reward');
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
        invoke: (scope, input) => bound(scope, input.solutionStr, input.groundTruth, input.extraInfo),
      },
    };
  }
}

interface Fault {
  readonly code: string;
  readonly what: string;
  readonly cure: string;
}

const SIGNATURE = 'Write it as (solutionStr: string, groundTruth: string, extraInfo?: ExtraInfo): number';

function signatureFaults({ arity, parameterTypes }: DecoratedMethod<RewardOptions>): Fault[] {
  const count = parameterTypes?.length ?? arity;
  if (count < 2 || count > 3) {
    return [{ code: 'REWARD_ARITY', what: `the reward takes ${count} parameters`, cure: SIGNATURE }];
  }
  return (parameterTypes ?? [])
    .slice(0, 2)
    .flatMap((type, index) =>
      type === String || type === Object
        ? []
        : [{ code: 'REWARD_PARAMETER', what: `parameter ${index + 1} of the reward is no string`, cure: SIGNATURE }],
    );
}

function optionFaults({ name, weight }: RewardOptions): Fault[] {
  const faults: Fault[] = [];
  if (name !== undefined && name.trim() === '') {
    faults.push({ code: 'REWARD_NAME_EMPTY', what: "the reward's name is empty", cure: 'Give it one, or none' });
  }
  if (weight !== undefined && !Number.isFinite(weight)) {
    const what = `the reward's weight is ${String(weight)}`;
    faults.push({ code: 'REWARD_WEIGHT', what, cure: 'Give a finite number' });
  }
  return faults;
}
