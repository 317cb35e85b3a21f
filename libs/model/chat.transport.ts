import { systemClock, type Cancellation, type Clock } from '#domain';
import { connectionFault } from './connection.fault.js';
import type { HttpConnections } from './http.connections.js';
import type { ResolvedModel } from './model.resolver.js';
import { PostExchange } from './post.exchange.js';
import { providerError } from './provider.error.js';
import { readReply, type ProviderReply } from './provider.reply.js';

/**
 * Sends one request in OpenAI's dialect. Exactly one: a hidden second sample is paid for and never seen.
 *
 * Over undici's dispatch: the `openai` client on `fetch` costs 500 µs of CPU a call, this 60 (bench eval).
 */
export class ChatTransport {
  readonly #origin: string;
  readonly #basePath: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(
    private readonly model: ResolvedModel,
    private readonly connections: HttpConnections,
    private readonly clock: Clock = systemClock,
  ) {
    const { origin, pathname } = new URL(model.baseUrl);
    this.#origin = origin;
    this.#basePath = pathname.replace(/\/$/, '');
    this.#headers = headersFor(model);
  }

  /**
   * @param path `/chat/completions` or `/responses`
   * @returns the JSON object of the answer
   * @throws ProviderRequestError, or the cancellation's reason
   */
  async post(path: string, body: object, cancellation: Cancellation): Promise<Record<string, unknown>> {
    cancellation.throwIfCancelled();
    const { timeoutMs } = this.model;
    let reply: ProviderReply;
    const exchange = new PostExchange();
    const stopTimer = this.clock.after(timeoutMs, () => exchange.abandon(this.timeoutError()));
    const release = cancellation.onCancel((reason) => exchange.abandon(reason));
    try {
      reply = await exchange.run(this.connections.dispatcher, {
        origin: this.#origin,
        path: this.#basePath + path,
        headers: this.#headers,
        body: JSON.stringify(body),
      });
    } catch (error) {
      cancellation.throwIfCancelled();
      throw connectionFault(error, this.model);
    } finally {
      stopTimer();
      release();
    }
    return readReply(reply, this.model, this.clock.now());
  }

  private timeoutError(): Error {
    const detail = `no answer within the timeout of ${this.model.timeoutMs / 1000} s (model_info.timeout)`;
    return providerError(this.model, { kind: 'timeout', detail });
  }
}

function headersFor({ key, definition }: ResolvedModel): Record<string, string> {
  const ownHeader = definition.keyHeader === 'api-key';
  return {
    accept: 'application/json',
    'content-type': 'application/json',
    'user-agent': 'nestjs-osmosis',
    ...(key && (ownHeader ? { 'api-key': key.reveal() } : { authorization: `Bearer ${key.reveal()}` })),
  };
}
