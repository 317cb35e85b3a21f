import type { AgentDescriptor, ToolDescriptor, ToolSet } from '#agent';
import { InvocationScope } from '#discovery';
import {
  failureOf,
  OsmosisError,
  type Cancellation,
  type ChatMessage,
  type ChatModel,
  type Clock,
  type Failure,
  type RolloutMetrics,
  type RolloutOutcome,
} from '#domain';
import type { DatasetRow } from '../dataset/index.js';
import type { AgentHost } from './agent.host.js';
import { toRequest, type RequestOptions } from './row.request.js';

/** How every run of an evaluation goes. */
export interface RolloutLimits {
  readonly completionParams: Readonly<Record<string, unknown>>;
  /** Chat calls at most. */
  readonly maxTurns: number;
  /** Tokens of a conversation at most. */
  readonly maxTokensTotal: number;
  /** Milliseconds one run may take, scoring included. */
  readonly timeoutMs: number;
}

export interface LocalRolloutRequest {
  readonly row: DatasetRow;
  readonly agent: AgentDescriptor;
  readonly addedTools: readonly ToolDescriptor[];
  readonly rolloutId: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly limits: RolloutLimits;
  readonly cancellation: Cancellation;
  readonly clock: Clock;
  /** Told when the tools are known, before the agent runs. */
  readonly onTools?: (tools: ToolSet) => void;
}

/** How a local rollout ended. Nothing is thrown: what goes wrong is in the outcome. */
export interface LocalRolloutResult {
  readonly outcome: Pick<
    RolloutOutcome,
    'status' | 'finalMessages' | 'finishReason' | 'errorMessage' | 'reward' | 'rewards' | 'failure'
  >;
  readonly metrics: RolloutMetrics | null;
  /** Milliseconds until the agent was done; scoring is not in it. */
  readonly durationMs: number;
}

/** Runs one row through the engine that also serves trainers: same loop, same tools, same rewards. */
export async function runLocally(
  host: AgentHost,
  model: ChatModel,
  request: LocalRolloutRequest,
): Promise<LocalRolloutResult> {
  const { clock, limits } = request;
  const startedAt = clock.monotonic();
  let doneAt: number | undefined;
  const duration = (): number => (doneAt ?? clock.monotonic()) - startedAt;
  const { cancellation, release } = request.cancellation.child();
  const deadline = clock.after(limits.timeoutMs, () => cancellation.cancel(deadlineReached(limits.timeoutMs)));
  try {
    const rolloutRequest = toRequest(request.row, requestOptions(request));
    const scope = new InvocationScope(rolloutRequest);
    const tools = await host.selectTools(request.agent, rolloutRequest, scope, request.addedTools);
    request.onTools?.(tools);
    const work = { request: rolloutRequest, agent: request.agent, tools, scope, cancellation, session: null };
    const outcome = await host.run(work, model, () => (doneAt = clock.monotonic()));
    return { outcome, metrics: outcome.metrics, durationMs: duration() };
  } catch (error) {
    return {
      outcome: failedBefore(failureOf(error, 'agent'), request.row.messages),
      metrics: null,
      durationMs: duration(),
    };
  } finally {
    deadline.stop();
    release();
  }
}

function requestOptions({ agent, rolloutId, limits, metadata }: LocalRolloutRequest): RequestOptions {
  const { completionParams, maxTurns, maxTokensTotal } = limits;
  return { agent: agent.name, rolloutId, metadata, completionParams, maxTurns, maxTokensTotal };
}

function failedBefore(failure: Failure, messages: readonly ChatMessage[]): LocalRolloutResult['outcome'] {
  return {
    status: 'ERROR',
    finalMessages: messages,
    finishReason: 'error',
    errorMessage: failure.message,
    reward: null,
    rewards: [],
    failure,
  };
}

function deadlineReached(timeoutMs: number): OsmosisError {
  return new OsmosisError('DEADLINE', `The run did not end within its time limit of ${timeoutMs} ms.`);
}
