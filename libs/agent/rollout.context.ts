import {
  createToolErrorResult,
  parseToolCalls,
  type Cancellation,
  type ChatCompletion,
  type ChatMessage,
  type ChatParams,
  type RolloutMetrics,
  type RolloutRequest,
  type RolloutResult,
  type ToolCall,
  type ToolDefinition,
  type ToolMessage,
} from '#domain';
import type { RolloutSession } from './rollout.session.js';

/**
 * What an agent's loop, a tool and a reward know of the rollout they work for. Per-rollout state belongs here or in local
 * variables, never in a field of the agent: one instance serves many rollouts at once.
 */
export class RolloutContext {
  constructor(
    private readonly session: RolloutSession,
    private readonly cancellation: Cancellation = session.cancellation,
    /** The call being answered, for tools; null for loops and rewards. */
    readonly toolCall: ToolCall | null = null,
  ) {}

  get request(): RolloutRequest {
    return this.session.request;
  }

  /** The tools offered to the model. */
  get tools(): readonly ToolDefinition[] {
    return this.session.tools.definitions;
  }

  /**
   * Fires when the rollout is cancelled, runs out of time or the server shuts down; for a tool also at the tool's own
   * time-out. Hand it to whatever you wait for.
   */
  get signal(): AbortSignal {
    return this.cancellation.signal;
  }

  /** The figures so far. */
  get metrics(): RolloutMetrics {
    return this.session.meter.snapshot();
  }

  /** Tokens of the conversation so far, to be held against `request.maxTokensTotal`. */
  get conversationTokens(): number {
    return this.session.meter.conversationTokens;
  }

  /**
   * Asks the model for the next message. The request's completion parameters apply unless `params` overrides them.
   *
   * @param messages the whole conversation; extend the list from call to call, never change what is in it
   * @throws PeerError when the model's server cannot be made to answer; OsmosisError AGENT_FAILED once `run` has returned
   */
  async chat(messages: readonly ChatMessage[], params?: ChatParams): Promise<ChatCompletion> {
    const { session } = this;
    session.requireRunning();
    session.asked(messages);
    const { meter, request } = session;
    const before = meter.enter('model');
    const startedAt = meter.now();
    try {
      const completion = await session.model.complete(messages, {
        params: params ? { ...request.completionParams, ...params } : request.completionParams,
        tools: session.tools.definitions,
        cancellation: this.cancellation,
      });
      const latencyMs = meter.now() - startedAt;
      meter.recordChat(completion, latencyMs);
      session.answered(completion, latencyMs);
      return completion;
    } catch (error) {
      meter.recordFailedChat(meter.now() - startedAt);
      session.arose(error, 'model');
      throw error;
    } finally {
      meter.enter(before);
    }
  }

  /**
   * Runs the tool calls of an assistant message, side by side, and gives one tool message for each, in the order of the
   * calls. A fault (unknown tool, wrong arguments, exception, time-out) becomes a tool message that tells the model.
   *
   * @throws the reason, when the rollout is cancelled meanwhile
   */
  async executeTools(calls: ChatMessage | readonly ToolCall[]): Promise<ToolMessage[]> {
    const list = isCallList(calls) ? calls : parseToolCalls(calls);
    const { session } = this;
    const before = session.meter.enter('tools');
    try {
      return await session.executor.execute(list, session, this.cancellation);
    } finally {
      session.meter.enter(before);
    }
  }

  /** The good end. `reward` is for loops that score themselves; the `@Reward` methods are then not asked. */
  complete(finalMessages: readonly ChatMessage[], finishReason = 'stop', reward?: number): RolloutResult {
    return { status: 'COMPLETED', finalMessages, finishReason, errorMessage: null, reward };
  }

  /** The bad end. `finalMessages` defaults to the conversation so far, so that nothing is lost. */
  error(errorMessage: string, finalMessages?: readonly ChatMessage[]): RolloutResult {
    return {
      status: 'ERROR',
      finalMessages: finalMessages ?? this.session.conversation(),
      finishReason: 'error',
      errorMessage,
    };
  }

  /** Takes the rollout out of the training: it is told as a good end whose reward is not to be counted. */
  removeSample(): void {
    this.session.removeSample();
  }

  /**
   * A figure of the agent's own, for the trainer's dashboards. The last value of a name counts.
   *
   * @param value a finite number as a rule; what has no JSON form is left out when the trainer is told
   */
  recordMetric(name: string, value: unknown): void {
    this.session.recordMetric(name, value);
  }

  /** For loops that run tools without `executeTools`: counts a tool call and its latency in milliseconds. */
  recordToolCall(latencyMs = 0): void {
    this.session.meter.recordToolCall(latencyMs);
  }

  /** Whether `logEvent` writes anything. */
  get traceEnabled(): boolean {
    return this.session.trace !== null;
  }

  /** Appends a line to the rollout's trace file; does nothing when traces are off. Never throws. */
  logEvent(eventType: string, data: Readonly<Record<string, unknown>> = {}): void {
    this.session.trace?.write(this.session.request.rolloutId, eventType, data);
  }

  /** Tool messages that say why calls were not run, for ending a conversation well-formed (case LC-22). */
  skipTools(calls: readonly ToolCall[], why: string): ToolMessage[] {
    return calls.map((call) => createToolErrorResult(toolCallId(call), why));
  }
}

function isCallList(calls: ChatMessage | readonly ToolCall[]): calls is readonly ToolCall[] {
  return Array.isArray(calls);
}

/** The id that a tool message answers to; `unknown` when the call has none. */
export function toolCallId(call: unknown): string {
  const id = typeof call === 'object' && call !== null ? (call as ToolCall).id : undefined;
  return typeof id === 'string' ? id : 'unknown';
}
