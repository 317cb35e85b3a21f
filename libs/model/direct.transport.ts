import { systemClock, type Cancellation, type Clock } from '#domain';
import { connectionFault } from './connection.fault.js';
import type { HttpConnections } from './http.connections.js';
import type { ResolvedModel } from './model.resolver.js';
import type { ModelTransport } from './model.transport.js';
import { PostExchange } from './post.exchange.js';
import { timeoutError } from './provider.error.js';
import { readReply, type ProviderReply } from './provider.reply.js';

/** One request over undici's dispatch, without a client between. */
export class DirectTransport implements ModelTransport {
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

  async post(path: string, body: object, cancellation: Cancellation): Promise<Record<string, unknown>> {
    cancellation.throwIfCancelled();
    const { timeoutMs } = this.model;
    let reply: ProviderReply;
    const exchange = new PostExchange();
    const timer = this.clock.after(timeoutMs, () => exchange.abandon(timeoutError(this.model)));
    const listening = cancellation.onCancel((reason) => exchange.abandon(reason));
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
      timer.stop();
      listening.leave();
    }
    return readReply(reply, this.model, this.clock.now());
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
