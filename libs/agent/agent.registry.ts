import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { DefinitionProblems } from '#discovery';
import { AgentNotFoundError } from '#domain';
import { AgentExplorer } from './agent.explorer.js';
import { AGENT_OPTIONS, type AgentModuleOptions } from './agent.options.js';
import type { AgentDescriptor } from './agent.types.js';
import { ToolSources } from './tool.sources.js';

/** The application's agents by name. */
@Injectable()
export class AgentRegistry implements OnModuleInit {
  private readonly agents = new Map<string, AgentDescriptor>();
  private exploredModules = 0;
  private completed = false;

  constructor(
    private readonly explorer: AgentExplorer,
    private readonly sources: ToolSources,
    private readonly problems: DefinitionProblems,
    @Inject(AGENT_OPTIONS) private readonly options: AgentModuleOptions,
  ) {}

  async onModuleInit(): Promise<void> {
    this.exploreNewModules();
    await Promise.all([...this.agents.values()].map((agent) => this.sources.complete(agent)));
    this.completed = true;
    const { defaultAgent } = this.options;
    if (defaultAgent !== undefined && !this.agents.has(defaultAgent)) {
      this.problems.report({
        code: 'AGENT_DEFAULT_UNKNOWN',
        where: 'OsmosisModule',
        what: `defaultAgent is '${defaultAgent}', but the agents are: ${this.names().join(', ') || 'none'}`,
        cure: 'Name one of them',
      });
    }
  }

  list(): readonly AgentDescriptor[] {
    this.exploreNewModules();
    return [...this.agents.values()];
  }

  /** @throws AgentNotFoundError naming the agents there are */
  get(name: string): AgentDescriptor {
    const agent = this.agents.get(name) ?? this.lateAgent(name);
    if (!agent) throw new AgentNotFoundError(name, this.names());
    return agent;
  }

  /**
   * The agent that serves when a request names none: the only one, or the one marked as default.
   *
   * @throws AgentNotFoundError telling how to name one
   */
  default(): AgentDescriptor {
    this.exploreNewModules();
    const all = [...this.agents.values()];
    const { defaultAgent } = this.options;
    const chosen =
      defaultAgent !== undefined
        ? this.agents.get(defaultAgent)
        : all.length === 1
          ? all[0]
          : all.find((agent) => agent.isDefault);
    if (chosen) return chosen;
    const hint =
      all.length === 0
        ? ' Add a class with @Agent to the providers of a module.'
        : ' Post to /agents/{name}/v1/rollout/init or /agents/{name}/rollout, or mark one with @Agent({ default: true }).';
    throw new AgentNotFoundError('default', this.names(), hint);
  }

  private lateAgent(name: string): AgentDescriptor | undefined {
    this.exploreNewModules();
    return this.agents.get(name);
  }

  private names(): string[] {
    return [...this.agents.keys()];
  }

  /** Modules loaded lazily bring agents of their own (case NE-14). Costs a comparison when there are none. */
  private exploreNewModules(): void {
    if (this.explorer.moduleCount !== this.exploredModules) this.explore();
  }

  private explore(): void {
    this.exploredModules = this.explorer.moduleCount;
    for (const agent of this.explorer.explore()) {
      const known = this.agents.get(agent.name);
      if (known?.provider.type === agent.provider.type) continue;
      if (known) this.reportDuplicate(known, agent);
      else if (this.completed && this.sources.serve(agent)) this.reportTooLate(agent);
      else this.agents.set(agent.name, agent);
    }
    this.checkDefaults();
  }

  private reportDuplicate(first: AgentDescriptor, second: AgentDescriptor): void {
    this.problems.report({
      code: 'AGENT_DUPLICATE',
      where: second.provider.type.name,
      module: second.provider.module,
      what: `the agent '${second.name}' is already defined by ${first.provider.type.name} (${first.provider.module})`,
      cure: 'Give one of them another name',
    });
  }

  private reportTooLate({ name, provider }: AgentDescriptor): void {
    this.problems.report({
      code: 'AGENT_TOO_LATE',
      where: provider.type.name,
      module: provider.module,
      what: `the agent '${name}' takes tools that are only fetched when the application starts, and was loaded later`,
      cure: 'Import its module in the application instead of loading it lazily',
    });
  }

  private checkDefaults(): void {
    const defaults = [...this.agents.values()].filter((agent) => agent.isDefault);
    const [first, second] = defaults;
    if (!first || !second) return;
    this.problems.report({
      code: 'AGENT_DEFAULT_TWICE',
      where: second.provider.type.name,
      module: second.provider.module,
      what: `both '${first.name}' (${first.provider.type.name}) and '${second.name}' are marked as default`,
      cure: 'Mark one only',
    });
  }
}
