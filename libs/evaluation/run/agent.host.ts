import { Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import {
  AgentRegistry,
  LEGAL_TOOL_NAME,
  ToolSelection,
  ToolSet,
  type AgentDescriptor,
  type ToolDescriptor,
} from '#agent';
import type { InvocationScope } from '#discovery';
import { OsmosisError, type ChatModel, type RolloutOutcome, type RolloutRequest } from '#domain';
import { RewardRegistry, RewardService } from '#reward';
import { RolloutRunner, type RolloutWork } from '#rollout';

/** Looked up once: each run needs it, and the container searches all modules. */
interface Engine {
  readonly selection: ToolSelection;
  readonly runner: RolloutRunner;
}

/** The application's agents and the engine that runs them: the same that serves trainers. */
@Injectable()
export class AgentHost {
  #engine: Engine | null = null;

  /** The engine is the application's, in whichever module that imports it. */
  constructor(private readonly moduleRef: ModuleRef) {}

  /** @throws AgentNotFoundError naming the agents there are */
  agent(name?: string): AgentDescriptor {
    const registry = this.moduleRef.get(AgentRegistry, { strict: false });
    return name === undefined ? registry.default() : registry.get(name);
  }

  rewardNames(agent: AgentDescriptor): string[] {
    const registry = this.moduleRef.get(RewardRegistry, { strict: false });
    return registry.rewardsOf(agent).map(({ name }) => name);
  }

  get rewards(): RewardService {
    return this.moduleRef.get(RewardService, { strict: false });
  }

  /**
   * The tools of one rollout: the agent's, and those that were added for this evaluation.
   *
   * @throws OsmosisError DEFINITION_INVALID naming a tool that no model could be offered
   */
  async selectTools(
    agent: AgentDescriptor,
    request: RolloutRequest,
    scope: InvocationScope,
    added: readonly ToolDescriptor[],
  ): Promise<ToolSet> {
    const own = await this.engine.selection.select(agent, request, scope);
    const set =
      added.length === 0
        ? own
        : new ToolSet([...own, ...added], [...own.definitions, ...added.map(({ definition }) => definition)]);
    requireOfferable(set);
    return set;
  }

  run(work: RolloutWork, model: ChatModel, onScoring: () => void): Promise<RolloutOutcome> {
    return this.engine.runner.run(work, model, { ran: onScoring });
  }

  private get engine(): Engine {
    return (this.#engine ??= {
      selection: this.moduleRef.get(ToolSelection, { strict: false }),
      runner: this.moduleRef.get(RolloutRunner, { strict: false }),
    });
  }
}

/** Bare definitions that an agent gives at run time have not been looked at by anybody (spec F.5). */
function requireOfferable(set: ToolSet): void {
  const seen = new Set<string>();
  for (const { function: tool } of set.definitions) {
    const name: unknown = tool.name;
    if (typeof name !== 'string' || !LEGAL_TOOL_NAME.test(name)) {
      throw invalid(`the name ${JSON.stringify(name)} is not legal for model APIs (letters, digits, '_' and '-')`);
    }
    if (seen.size === seen.add(name).size) throw invalid(`there are two tools called '${name}'`);
    const type = (tool.parameters as { readonly type?: unknown } | undefined)?.type;
    if (type !== undefined && type !== 'object') {
      throw invalid(`the parameters of '${name}' have the type ${JSON.stringify(type)}; it must be "object"`);
    }
  }
}

function invalid(what: string): OsmosisError {
  return new OsmosisError('DEFINITION_INVALID', `Tool validation failed: ${what}.`);
}
