import { Injectable } from '@nestjs/common';
import type { InvocationScope } from '#discovery';
import { OsmosisError, type RolloutRequest, type ToolDefinition } from '#domain';
import type { AgentDescriptor, ToolChoice } from './agent.types.js';
import { ToolSet, type ToolDescriptor } from './tool.types.js';

/** Decides, before a rollout is accepted, which tools it gets. */
@Injectable()
export class ToolSelection {
  /** @throws whatever the agent's `getTools` throws, and OsmosisError DEFINITION_INVALID for what it must not give */
  async select(agent: AgentDescriptor, request: RolloutRequest, scope: InvocationScope): Promise<ToolSet> {
    if (!agent.getTools) return agent.tools;
    const choices: unknown = await agent.getTools(scope, request);
    if (!Array.isArray(choices)) {
      throw invalid(agent, `it must give a list, not ${choices === null ? 'null' : typeof choices}`);
    }
    const tools: ToolDescriptor[] = [];
    const definitions: ToolDefinition[] = [];
    for (const choice of choices as readonly ToolChoice[]) {
      const tool = resolve(agent, choice);
      if ('invoke' in tool) tools.push(tool);
      definitions.push('invoke' in tool ? tool.definition : tool);
    }
    requireDistinct(agent, definitions);
    const set = new ToolSet(tools, definitions);
    requireSerialisable(agent, set);
    return set;
  }
}

function resolve(agent: AgentDescriptor, choice: unknown): ToolDescriptor | ToolDefinition {
  if (typeof choice === 'string') {
    const tool = agent.tools.get(choice);
    if (tool) return tool;
    throw invalid(agent, `it names '${choice}', but the agent's tools are: ${agent.tools.names.join(', ') || 'none'}`);
  }
  if (isDescriptor(choice)) return choice;
  if (isDefinition(choice)) return choice;
  throw invalid(agent, 'each entry must be a tool name, a tool made by defineTool, or a whole tool definition');
}

function isDescriptor(choice: unknown): choice is ToolDescriptor {
  return typeof choice === 'object' && choice !== null && 'invoke' in choice && 'definition' in choice;
}

function isDefinition(choice: unknown): choice is ToolDefinition {
  if (typeof choice !== 'object' || choice === null) return false;
  const definition = (choice as { function?: { name?: unknown; description?: unknown; parameters?: unknown } })
    .function;
  return (
    typeof definition?.name === 'string' &&
    definition.name.trim() !== '' &&
    typeof definition.description === 'string' &&
    (definition.parameters === undefined || typeof definition.parameters === 'object')
  );
}

function requireDistinct(agent: AgentDescriptor, definitions: readonly ToolDefinition[]): void {
  const names = definitions.map((definition) => definition.function.name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw invalid(agent, `it gives two tools called '${twice}'`);
}

function requireSerialisable(agent: AgentDescriptor, set: ToolSet): void {
  try {
    void set.json;
  } catch (error) {
    throw invalid(agent, `the definitions have no JSON form: ${(error as Error).message}`);
  }
}

function invalid(agent: AgentDescriptor, why: string): OsmosisError {
  return new OsmosisError('DEFINITION_INVALID', `getTools of ${agent.provider.type.name} is wrong: ${why}.`);
}
