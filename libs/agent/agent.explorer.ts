import { Injectable } from '@nestjs/common';
import {
  DefinitionProblems,
  MetadataAccessor,
  MethodInvoker,
  ProviderExplorer,
  type Class,
  type ProviderDescriptor,
} from '#discovery';
import type { AgentDescriptor } from './agent.types.js';
import { AGENT_METADATA, type AgentOptions } from './decorators/agent.decorator.js';
import { distinctTools } from './distinct.tools.js';
import { ToolFactory, type DecoratedTool } from './tool.factory.js';
import { ToolSet } from './tool.types.js';

interface FoundAgent {
  readonly provider: ProviderDescriptor;
  readonly options: AgentOptions;
}

/** The tools of a provider that is no agent. */
interface SharedTools {
  readonly type: Class;
  readonly tools: readonly DecoratedTool[];
}

/** Reads the application's providers and gives its agents, each with its tools. Reports every fault it meets. */
@Injectable()
export class AgentExplorer {
  constructor(
    private readonly explorer: ProviderExplorer,
    private readonly tools: ToolFactory,
    private readonly invoker: MethodInvoker,
    private readonly problems: DefinitionProblems,
  ) {}

  get moduleCount(): number {
    return this.explorer.moduleCount;
  }

  explore(): AgentDescriptor[] {
    const agents: FoundAgent[] = [];
    const shared: SharedTools[] = [];
    for (const provider of this.explorer.explore()) {
      const options = MetadataAccessor.ofClass<AgentOptions>(AGENT_METADATA, provider.type);
      if (options) agents.push({ provider, options });
      // A child of an agent that is none itself does not lend its parent's tools to others.
      else if (!MetadataAccessor.isOnlyInherited(AGENT_METADATA, provider.type))
        shared.push({ type: provider.type, tools: this.tools.toolsOf(provider) });
    }
    return agents.filter((agent) => this.hasLegalName(agent)).map((agent) => this.describe(agent, shared));
  }

  private hasLegalName({ provider, options }: FoundAgent): boolean {
    const legal = typeof options.name === 'string' && options.name.trim() !== '' && !hasControl(options.name);
    if (!legal) {
      this.problems.report({
        code: 'AGENT_NAME_ILLEGAL',
        where: provider.type.name,
        module: provider.module,
        what: `the agent's name ${JSON.stringify(options.name)} is empty or has control characters`,
        cure: "Give it one: @Agent({ name: 'my-agent' })",
      });
    }
    return legal;
  }

  private describe({ provider, options }: FoundAgent, shared: readonly SharedTools[]): AgentDescriptor {
    const own = this.tools.toolsOf(provider).map(({ tool }) => tool);
    const others = shared
      .filter(({ type }) => !options.tools || options.tools.includes(type))
      .flatMap(({ tools }) => tools.filter(({ agents }) => isFor(agents, options.name, provider.type)))
      .map(({ tool }) => tool);
    return {
      name: options.name,
      description: options.description ?? '',
      isDefault: options.default ?? false,
      provider,
      tools: new ToolSet(distinctTools(provider, [...own, ...others], this.problems)),
      loop: this.bindIfPresent(provider, 'run'),
      getTools: this.bindIfPresent(provider, 'getTools'),
    };
  }

  private bindIfPresent(provider: ProviderDescriptor, methodName: string): AgentDescriptor['loop'] {
    const method: unknown = (provider.type.prototype as Record<string, unknown>)[methodName];
    return typeof method === 'function' ? this.invoker.bind(provider, methodName, 'osmosis:loop') : null;
  }
}

function isFor(agents: readonly (string | Class)[] | undefined, name: string, type: Class): boolean {
  return !agents || agents.includes(name) || agents.includes(type);
}

function hasControl(name: string): boolean {
  // eslint-disable-next-line no-control-regex
  return /[\u0000-\u001f\u007f]/.test(name);
}
