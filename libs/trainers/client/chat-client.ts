import { Logger } from '@nestjs/common';
import type {
  Cancellation,
  ChatCall,
  ChatCompletion,
  ChatMessage,
  ChatModel,
  ChatParams,
  RolloutRequest,
  TrainerAddress,
} from '#domain';
import {
  isSuccess,
  parseHttpUrl,
  secondsText,
  statusError,
  withRetries,
  type HttpResponse,
  type HttpTransport,
} from '../transport/index.js';
import { readChatAnswer, type AnswerContext } from './chat-answer.js';
import { ChatHistory, type ChatEnvelope } from './chat-history.js';
import { LIMIT_NAMES, type TrainerClientSettings } from './client.settings.js';
import { trainerHeaders } from './trainer-headers.js';

const logger = new Logger('TrainerChatClient');

/** What a dialect has of its own in its chat calls. */
export interface ChatDialect {
  /** Where a rollout's chat calls go. */
  chatUrl(request: RolloutRequest): string;
  /** Whose bearer goes along, and whose URL may hold credentials. */
  sender(request: RolloutRequest): Pick<TrainerAddress, 'url' | 'apiKey'>;
  /**
   * The body of a call but for its messages.
   *
   * @throws OsmosisError REQUEST_INVALID for parameters that cannot be sent
   */
  envelope(call: ChatCall, request: RolloutRequest): ChatEnvelope;
}

/** What all chat clients of a dialect share. */
export interface TrainerChatServices {
  readonly dialect: ChatDialect;
  readonly transport: HttpTransport;
  readonly settings: TrainerClientSettings;
}

/**
 * The trainer's model for one rollout: posts chat completions (spec 1.4) with the retries of spec 3.3, widened by 408, 425,
 * 429 and unreadable answers (spec 13.8, 13.9).
 *
 * Every attempt of one call carries the same bytes and the same `Idempotency-Key`, `{rollout id}:{number of the call}`,
 * so that a trainer can tell a repetition from a wish for another sample (spec 13.10).
 */
export class TrainerChatClient implements ChatModel {
  readonly #request: RolloutRequest;
  readonly #services: TrainerChatServices;
  readonly #sender: Pick<TrainerAddress, 'url' | 'apiKey'>;
  readonly #history = new ChatHistory();
  #answerContext: AnswerContext | null = null;
  #params: ChatParams | null = null;
  #tools: ChatCall['tools'] | null = null;
  #envelope: ChatEnvelope | null = null;
  #calls = 0;
  #historyInUse = false;

  constructor(request: RolloutRequest, services: TrainerChatServices) {
    this.#request = request;
    this.#services = services;
    this.#sender = services.dialect.sender(request);
  }

  /**
   * @throws PeerError after the last attempt; OsmosisError REQUEST_INVALID, before any, for parameters or messages that
   *   cannot be sent; the cancellation's reason
   */
  async complete(messages: readonly ChatMessage[], call: ChatCall): Promise<ChatCompletion> {
    call.cancellation.throwIfCancelled();
    const { rolloutId } = this.#request;
    const envelope = this.#envelopeOf(call);
    const headers = trainerHeaders(this.#sender, `${rolloutId}:${this.#calls + 1}`);
    // The body is a view into the history's buffer; a call beside a running one needs a buffer of its own.
    const shared = !this.#historyInUse;
    const body = (shared ? this.#history : new ChatHistory()).encode(messages, envelope);
    this.#calls++;
    this.#historyInUse = true;
    try {
      return this.#read(await this.#post(headers, body, call.cancellation));
    } catch (error) {
      return await this.#retry(error, headers, body, call.cancellation);
    } finally {
      if (shared) this.#historyInUse = false;
    }
  }

  /** The request's own parameters and its tools are the same objects from call to call, and so is what is made of them. */
  #envelopeOf(call: ChatCall): ChatEnvelope {
    if (this.#envelope && this.#params === call.params && this.#tools === call.tools) return this.#envelope;
    const envelope = this.#services.dialect.envelope(call, this.#request);
    if (call.params !== this.#request.completionParams) return envelope;
    this.#params = call.params;
    this.#tools = call.tools;
    return (this.#envelope = envelope);
  }

  /** What follows a first attempt that has failed. */
  #retry(
    failed: unknown,
    headers: Record<string, string>,
    body: Buffer,
    cancellation: Cancellation,
  ): Promise<ChatCompletion> {
    const { maxRetries, retryBaseDelayMs, retryMaxDelayMs, clock } = this.#services.settings;
    const attempt = async (number: number): Promise<ChatCompletion> => {
      if (number === 1) throw failed;
      return this.#read(await this.#post(headers, body, cancellation));
    };
    return withRetries(attempt, {
      maxRetries,
      backoff: { baseDelayMs: retryBaseDelayMs, maxDelayMs: retryMaxDelayMs },
      clock,
      cancellation,
      onRetry: (error, delayMs, failed) => {
        const { rolloutId } = this.#request;
        logger.warn(
          `Rollout ${JSON.stringify(rolloutId)}: chat attempt ${failed} of ${maxRetries + 1} failed, next in ` +
            `${secondsText(Math.round(delayMs))}: ${error.message}`,
        );
      },
    });
  }

  #post(headers: Record<string, string>, body: Buffer, cancellation: Cancellation): Promise<HttpResponse> {
    const { transport, settings } = this.#services;
    const { url, secret } = this.#context;
    return transport.post({
      url,
      headers,
      body,
      timeoutMs: settings.timeoutMs,
      timeoutName: LIMIT_NAMES.timeoutMs,
      cancellation,
      secret,
    });
  }

  #read(response: HttpResponse): ChatCompletion {
    const context = this.#context;
    if (!isSuccess(response)) throw statusError(context.url, response, context.secret, context.clock);
    return readChatAnswer(response, context);
  }

  get #context(): AnswerContext {
    if (this.#answerContext) return this.#answerContext;
    const { dialect, settings } = this.#services;
    const url = parseHttpUrl(dialect.chatUrl(this.#request));
    return (this.#answerContext = { url, secret: this.#sender.apiKey, clock: settings.clock });
  }
}
