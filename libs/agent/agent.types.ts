import type { BoundMethod, ProviderDescriptor } from '#discovery';
import type { RolloutRequest, RolloutResult, ToolDefinition } from '#domain';
import type { RolloutContext } from './rollout.context.js';
import type { ToolDescriptor, ToolSet } from './tool.types.js';

/** What an agent class may implement. Both methods are optional: see {@link Agent}. */
export interface AgentLoop {
  /** The agent's own loop. End with `ctx.complete(…)` or `ctx.error(…)`. Treat messages as append-only. */
  run(ctx: RolloutContext): Promise<RolloutResult>;
}

/** An entry of what `getTools` gives: the name of a decorated tool, a tool made by `defineTool`, or a bare definition. */
export type ToolChoice = string | ToolDescriptor | ToolDefinition;

export interface DynamicTools {
  /**
   * The tools for one rollout, asked before the rollout is accepted. A bare definition is offered to the model only; the
   * agent's own loop must answer its calls.
   */
  getTools(request: RolloutRequest): readonly ToolChoice[] | Promise<readonly ToolChoice[]>;
}

export interface AgentDescriptor {
  readonly name: string;
  readonly description: string;
  readonly isDefault: boolean;
  readonly provider: ProviderDescriptor;
  /** Every tool that the agent may use. */
  readonly tools: ToolSet;
  /** The class's `run`; null when the built-in loop serves. */
  readonly loop: BoundMethod | null;
  /** The class's `getTools`; null when every rollout gets all tools. */
  readonly getTools: BoundMethod | null;
}
