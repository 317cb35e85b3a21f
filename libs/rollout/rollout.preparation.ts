import { Inject, Injectable } from '@nestjs/common';
import { AgentRegistry, ToolSelection, type AgentDescriptor, type ToolSet } from '#agent';
import { InvocationScope } from '#discovery';
import { OsmosisError, type Cancellation, type RolloutRequest } from '#domain';
import { deadlineOf } from './deadline.js';
import { ROLLOUT_OPTIONS, type RolloutModuleOptions } from './rollout.options.js';
import type { RolloutWork } from './rollout.record.js';
import { untilCancelled } from './until-cancelled.js';

/** Gathers what a rollout works with, before it is accepted. */
@Injectable()
export class RolloutPreparation {
  constructor(
    private readonly agents: AgentRegistry,
    private readonly selection: ToolSelection,
    @Inject(ROLLOUT_OPTIONS) private readonly options: RolloutModuleOptions,
  ) {}

  /**
   * @throws OsmosisError AGENT_NOT_FOUND; DEADLINE when the agent's `getTools` does not end; whatever that throws; the
   *   cancellation's reason
   */
  prepare(request: RolloutRequest, cancellation: Cancellation): RolloutWork | Promise<RolloutWork> {
    const agent = this.agents.get(request.agent);
    const scope = new InvocationScope(request);
    const work = (tools: ToolSet): RolloutWork => ({ request, agent, tools, scope, cancellation, session: null });
    return agent.getTools ? this.askForTools(agent, request, scope, cancellation).then(work) : work(agent.tools);
  }

  /** Nobody can wait longer for the answer to an init than for the rollout. */
  private async askForTools(
    agent: AgentDescriptor,
    request: RolloutRequest,
    scope: InvocationScope,
    cancellation: Cancellation,
  ): Promise<ToolSet> {
    const limitMs = deadlineOf(request, this.options.deadlineMs);
    const timer = this.options.clock.after(limitMs, () => cancellation.cancel(toolsTooLate(agent, limitMs)));
    try {
      return await untilCancelled(cancellation, () => this.selection.select(agent, request, scope));
    } finally {
      timer.stop();
    }
  }
}

function toolsTooLate({ provider }: AgentDescriptor, limitMs: number): OsmosisError {
  return new OsmosisError(
    'DEADLINE',
    `getTools of ${provider.type.name} did not end within the rollout's deadline of ${limitMs} ms (timeout; ` +
      'rollouts.deadlineMs). Make it give its list, or fail, sooner.',
  );
}
