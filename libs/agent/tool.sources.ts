import { Injectable } from '@nestjs/common';
import { DefinitionProblems } from '#discovery';
import type { AgentDescriptor } from './agent.types.js';
import { distinctTools } from './distinct.tools.js';
import { ToolSet, type ToolDescriptor } from './tool.types.js';

/** Gives agents tools that no decorator describes. */
export interface ToolSource {
  /** How one of its tools gets another name, for the message about two of one name. */
  readonly renaming: string;
  /** Whether it has anything for the agent. */
  serves(agent: AgentDescriptor): boolean;
  /** Asked once, when the application starts. Must not reject: what is wrong goes to `DefinitionProblems`. */
  toolsFor(agent: AgentDescriptor): Promise<readonly ToolDescriptor[]>;
}

/** Where tools come from beside the decorators. Each source registers itself. */
@Injectable()
export class ToolSources {
  private readonly sources: ToolSource[] = [];

  constructor(private readonly problems: DefinitionProblems) {}

  /** Not later than in the source's constructor: agents get their tools in `onModuleInit`. */
  register(source: ToolSource): void {
    this.sources.push(source);
  }

  serve(agent: AgentDescriptor): boolean {
    return this.sources.some((source) => source.serves(agent));
  }

  /** Gives the agent what the sources have for it, beside its decorated tools. Not for an agent that serves already. */
  async complete(agent: AgentDescriptor): Promise<void> {
    const serving = this.sources.filter((source) => source.serves(agent));
    const found = await Promise.all(serving.map((source) => source.toolsFor(agent)));
    serving.forEach(({ renaming }, index) => {
      const all = [...agent.tools, ...(found[index] ?? [])];
      const tools = new ToolSet(distinctTools(agent.provider, all, this.problems, renaming));
      // In place: rewards are kept by the descriptor that they were asked for with.
      Object.assign(agent, { tools });
    });
  }
}
