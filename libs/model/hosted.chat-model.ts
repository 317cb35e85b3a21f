import {
  backoffDelayMs,
  sleep,
  type BackoffPolicy,
  type ChatCall,
  type ChatMessage,
  type ChatModel,
  type ChatParams,
  type Clock,
} from '#domain';
import { chatRequest, readChatAnswer, type HostedCompletion } from './chat.wire.js';
import { applyRules, learnFrom } from './parameter.rules.js';
import { ProviderRequestError } from './provider.error.js';
import { responsesRequest, readResponsesAnswer } from './responses.wire.js';
import type { ModelMemory } from './model.memory.js';
import type { ResolvedModel } from './model.resolver.js';
import type { ModelTransport } from './model.transport.js';
import type { Lanes } from './provider.gate.js';

export interface HostedChatCall extends ChatCall {
  /** Parameters that are only wished for: left out where the model is known, or learned, not to take them. */
  readonly preferred?: ChatParams;
}

export interface RetryPolicy extends BackoffPolicy {
  /** Further tries after the first, for rate limits, 5xx, timeouts and broken connections. */
  readonly maxRetries: number;
  /** A provider that asks for a longer wait is not waited for. */
  readonly maxRetryAfterMs: number;
}

/** Refusals of parameters that one call learns from. Each is a request of its own, so there is an end to it. */
const MAX_LESSONS = 4;

interface Collaborators {
  readonly transport: ModelTransport;
  /** Those to its provider. */
  readonly lanes: Lanes;
  readonly memory: ModelMemory;
  readonly retry: RetryPolicy;
  readonly clock: Clock;
}

/** A model behind an OpenAI-compatible server. Keeps no conversation: one instance serves many at once. */
export class HostedChatModel implements ChatModel {
  constructor(
    readonly resolved: ResolvedModel,
    private readonly parts: Collaborators,
  ) {}

  get memory(): ModelMemory {
    return this.parts.memory;
  }

  /** @throws ProviderRequestError with the kind of fault, or the cancellation's reason */
  async complete(messages: readonly ChatMessage[], call: HostedChatCall): Promise<HostedCompletion> {
    const { retry, clock } = this.parts;
    for (let failures = 0, lessons = 0; ;) {
      const params = this.paramsFor(call);
      try {
        return await this.attempt(messages, call, params);
      } catch (error) {
        if (!(error instanceof ProviderRequestError)) throw error;
        if (lessons < MAX_LESSONS && this.learn(error, params, call)) {
          lessons++;
          continue;
        }
        failures++;
        if (!error.isPassing || failures > retry.maxRetries) throw error;
        if ((error.retryAfterMs ?? 0) > retry.maxRetryAfterMs) throw error;
        await sleep(clock, backoffDelayMs(retry, failures, error.retryAfterMs), call.cancellation);
      }
    }
  }

  private async attempt(
    messages: readonly ChatMessage[],
    call: HostedChatCall,
    params: Readonly<Record<string, unknown>>,
  ): Promise<HostedCompletion> {
    const { resolved } = this;
    const { lanes, transport } = this.parts;
    const { cancellation } = call;
    if (!lanes.enter()) await lanes.wait(cancellation);
    try {
      cancellation.throwIfCancelled();
      if (resolved.api === 'responses') {
        const body = responsesRequest(resolved.model, messages, call.tools, params);
        return readResponsesAnswer(await transport.post('/responses', body, cancellation), resolved);
      }
      const body = chatRequest(resolved.model, messages, call.tools, params);
      return readChatAnswer(await transport.post('/chat/completions', body, cancellation), resolved);
    } finally {
      lanes.leave();
    }
  }

  private paramsFor(call: HostedChatCall): Record<string, unknown> {
    const { definition, reasoningEffort } = this.resolved;
    const preferred = { ...definition.defaults, ...call.preferred, reasoning_effort: reasoningEffort };
    return applyRules(call.params, preferred, this.memory.rulesOf(this.resolved));
  }

  private learn(error: ProviderRequestError, sent: Readonly<Record<string, unknown>>, call: HostedChatCall): boolean {
    const learned = learnFrom(error, sent, call.params, this.memory.rulesOf(this.resolved));
    if (learned) this.memory.rememberRules(this.resolved, learned);
    return learned !== undefined;
  }
}
