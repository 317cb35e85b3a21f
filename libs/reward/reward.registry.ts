import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AgentRegistry, type AgentDescriptor } from '#agent';
import { DefinitionProblems } from '#discovery';
import type { DefinitionProblem } from '#domain';
import { RewardExplorer, type FoundReward } from './reward.explorer.js';
import type { RewardDescriptor, RewardSource } from './reward.types.js';

/** Which rewards score which agent. */
@Injectable()
export class RewardRegistry implements OnModuleInit {
  private found: readonly FoundReward[] = [];
  private exploredModules = 0;
  private readonly sources: RewardSource[] = [];
  private readonly byAgent = new Map<AgentDescriptor, readonly RewardDescriptor[]>();

  constructor(
    private readonly explorer: RewardExplorer,
    private readonly agents: AgentRegistry,
    private readonly problems: DefinitionProblems,
  ) {}

  /** Adds rewards of another kind. Not later than in `onModuleInit`. */
  addSource(source: RewardSource): void {
    this.sources.push(source);
    this.byAgent.clear();
  }

  onModuleInit(): void {
    this.explore();
    this.problems.checkLast(() => [
      ...this.sources.flatMap((source) => source.problems()),
      ...this.agents.list().flatMap((agent) => this.duplicatesOf(agent)),
    ]);
  }

  rewardsOf(agent: AgentDescriptor): readonly RewardDescriptor[] {
    if (this.explorer.moduleCount !== this.exploredModules) this.explore();
    let rewards = this.byAgent.get(agent);
    if (!rewards) {
      const decorated = this.found.filter((found) => found.scores(agent)).map((found) => found.reward);
      rewards = [...decorated, ...this.sources.flatMap((source) => source.rewardsOf(agent))];
      this.byAgent.set(agent, rewards);
    }
    return rewards;
  }

  private explore(): void {
    this.exploredModules = this.explorer.moduleCount;
    this.found = this.explorer.explore();
    this.byAgent.clear();
  }

  private duplicatesOf(agent: AgentDescriptor): DefinitionProblem[] {
    const byName = new Map<string, RewardDescriptor>();
    return this.rewardsOf(agent).flatMap((reward) => {
      const first = byName.get(reward.name);
      if (!first) {
        byName.set(reward.name, reward);
        return [];
      }
      const what = `agent '${agent.name}' already has a reward '${reward.name}': ${first.where}`;
      const cure = 'Rename one, or say whom each scores with `agents`';
      return [{ code: 'REWARD_DUPLICATE', where: reward.where, what, cure }];
    });
  }
}
