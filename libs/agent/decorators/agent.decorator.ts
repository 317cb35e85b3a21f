import { applyDecorators, Injectable, type Scope } from '@nestjs/common';
import { MetadataAccessor, type Class } from '#discovery';
import type { McpServer } from './mcp-server.js';

export const AGENT_METADATA = 'osmosis:agent';

export interface AgentOptions {
  /** Unique in the application; the platform and `/agents/:name` know the agent by it. */
  readonly name: string;
  readonly description?: string;
  /** Serves `/v1/rollout/init` when the application has several agents. */
  readonly default?: boolean;
  /**
   * Which providers' tools the agent takes beside its own. Absent: the tools of every provider that is no agent, as far
   * as their own `agents` allow it. `[]`: none.
   */
  readonly tools?: readonly Class[];
  /** MCP servers whose tools the agent gets as well. Opened when the application starts (docs/mcp-tools.md). */
  readonly mcp?: readonly McpServer[];
  /** Nest's injection scope. `Scope.REQUEST` gives each rollout its own instance. */
  readonly scope?: Scope;
}

/**
 * Makes an injectable class an agent that trainers can run. Its tools are the methods with `@Tool`. With a method
 * `run(ctx: RolloutContext)` that is its loop; without one the built-in loop serves (chat, run tools, repeat).
 */
export function Agent(options: AgentOptions): ClassDecorator {
  const { scope, ...metadata } = options;
  return applyDecorators(Injectable(scope === undefined ? {} : { scope }), (target: object) =>
    MetadataAccessor.defineOnClass(AGENT_METADATA, metadata, target),
  );
}
