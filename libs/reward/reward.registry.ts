import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AgentRegistry, type AgentDescriptor } from '#agent';
import { DefinitionProblems } from '#discovery';
import { RewardExplorer, type FoundReward } from './reward.explorer.js';
import type { RewardDescriptor } from './reward.types.js';

/** Which rewards score which agent. */
@Injectable()
export class RewardRegistry implements OnModuleInit {
  private found: readonly FoundReward[] = [];
  private exploredModules = 0;
  private readonly byAgent = new Map<AgentDescriptor, readonly RewardDescriptor[]>();

  constructor(
    private readonly explorer: RewardExplorer,
    private readonly agents: AgentRegistry,
    private readonly problems: DefinitionProblems,
  ) {}

  onModuleInit(): void {
    this.explore();
    for (const agent of this.agents.list()) this.reportDuplicates(agent);
  }

  rewardsOf(agent: AgentDescriptor): readonly RewardDescriptor[] {
    if (this.explorer.moduleCount !== this.exploredModules) this.explore();
    let rewards = this.byAgent.get(agent);
    if (!rewards) {
      rewards = this.found.filter((found) => found.scores(agent)).map((found) => found.reward);
      this.byAgent.set(agent, rewards);
    }
    return rewards;
  }

  private explore(): void {
    this.exploredModules = this.explorer.moduleCount;
    this.found = this.explorer.explore();
    this.byAgent.clear();
  }

  private reportDuplicates(agent: AgentDescriptor): void {
    const byName = new Map<string, FoundReward>();
    for (const found of this.found.filter((candidate) => candidate.scores(agent))) {
      const first = byName.get(found.reward.name);
      if (!first) {
        byName.set(found.reward.name, found);
        continue;
      }
      this.problems.report({
        code: 'REWARD_DUPLICATE',
        where: found.reward.where,
        module: found.module,
        what: `agent '${agent.name}' already has a reward '${found.reward.name}': ${first.reward.where} (${first.module})`,
        cure: 'Rename one with @Reward({ name }), or say whom each scores with @Reward({ agents })',
      });
    }
  }
}
