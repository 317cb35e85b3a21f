import type { Dispatcher } from 'undici';
import {
  PeerTimeoutError,
  TextMemo,
  type Clock,
  type ListPlace,
  type Listening,
  type OsmosisError,
  type Timer,
} from '#domain';
import type { ConnectionPool } from './connection-pool.js';
import { decodeBody } from './content-encoding.js';
import { postLabel, secondsText } from './error-text.js';
import { headerOf, HttpResponse, type PostRequest } from './http-message.js';
import type { Connection } from './origin.js';
import { redirectTarget } from './redirect.js';
import { isBrokenSocket, transportFault, type TransportLimits } from './transport-fault.js';

/** A URL works its parts out anew each time that it is asked. */
const targets = new TextMemo((href) => {
  const { origin, pathname, search } = new URL(href);
  return { origin, path: pathname + search };
});

/** Who hears of the end of a call. */
export interface CallEnd {
  resolve(response: HttpResponse): void;
  reject(error: Error): void;
  /** Called first, whichever end it is. */
  ended(call: PostCall): void;
}

/**
 * One POST from its first byte to its end: undici's handler, the deadline's and the cancellation's target. It may go
 * over several connections one after another (a replay, redirects), never over two at once. Ends exactly once; whatever
 * undici reports afterwards is ignored.
 *
 * Of undici's two handler interfaces this is the older: the other is built on it, and reads all headers of each answer.
 */
export class PostCall implements Dispatcher.DispatchHandler {
  /** Where the transport has it among all calls, and among those that wait for a connection. */
  place: ListPlace<PostCall> | null = null;
  waitingPlace: ListPlace<PostCall> | null = null;
  #timer: Timer | null = null;
  #listening: Listening | null = null;
  #connection: Connection | null = null;
  #answering = false;
  #status = 0;
  #headers: readonly Buffer[] = [];
  #chunks: Buffer[] = [];
  #replayed = false;
  #redirects = 0;
  #ended = false;

  constructor(
    private readonly pool: ConnectionPool,
    private readonly limits: TransportLimits,
    private readonly request: PostRequest,
    private url: URL,
    private readonly end: CallEnd,
  ) {}

  /** Ends it when its time is over or its rollout is cancelled. */
  limit(clock: Clock): void {
    const { timeoutMs, cancellation } = this.request;
    this.#timer = clock.after(timeoutMs, () => this.expire());
    if (cancellation) this.#listening = cancellation.onCancel((reason) => this.abandon(reason));
  }

  /** @param fresh not over an idle connection */
  send(fresh = false): void {
    this.#answering = false;
    this.#chunks = [];
    const { origin, path } = targets.get(this.url.href);
    const connection = this.pool.acquire(origin, fresh);
    this.#connection = connection;
    const { headers, body } = this.request;
    connection.client.dispatch({ method: 'POST', path, headers, body }, this);
  }

  /**
   * Ends the call at once. The client is ours alone and goes with its socket; undici's own `abort` would connect it anew.
   */
  abandon(reason: OsmosisError): void {
    if (this.#ended) return;
    const connection = this.#connection;
    this.#fail(reason);
    connection?.client.destroy(reason, () => {});
  }

  /** Ends the call because its time is up (case NT-17). */
  expire(): void {
    const { timeoutMs, timeoutName } = this.request;
    const limit = `${secondsText(timeoutMs)} (limit ${timeoutName})`;
    this.abandon(new PeerTimeoutError(`${postLabel(this.url)}: timeout, no complete answer within ${limit}.`));
  }

  /** Nothing to do: the call is ended through its client. */
  onConnect(): void {}

  /** The first byte of the answer. */
  onResponseStarted(): void {
    this.#answering = true;
  }

  onHeaders(status: number, headers: Buffer[]): boolean {
    this.#status = status;
    this.#headers = headers;
    return true;
  }

  onData(chunk: Buffer): boolean {
    this.#chunks.push(chunk);
    return true;
  }

  onComplete(): void {
    if (this.#ended) return;
    if (this.#connection) this.pool.release(this.#connection);
    this.#connection = null;
    const response = new HttpResponse(this.#status, this.#headers, joined(this.#chunks));
    try {
      const target = redirectTarget(this.url, response, this.#redirects, this.request.secret);
      if (!target) return this.#finish(response);
      this.#redirects++;
      this.url = target;
      this.send();
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  onError(error: Error): void {
    if (this.#ended) return;
    const connection = this.#connection;
    if (!connection) return;
    // A peer that closes an idle connection just as we use it has not seen the request.
    const replay = connection.reused && !this.#answering && !this.#replayed && isBrokenSocket(error);
    if (!replay || this.request.replay === false) {
      return this.#fail(transportFault(postLabel(this.url), error, this.limits));
    }
    this.pool.discard(connection);
    this.#replayed = true;
    this.send(true);
  }

  #finish(response: HttpResponse): void {
    const encoding = headerOf(response, 'content-encoding');
    if (encoding === null) return this.#end(null, response);
    decodeBody(postLabel(this.url), response.body, encoding, this.limits.maxResponseBytes).then(
      (body) => this.#end(null, response.withBody(body)),
      (error: Error) => this.#end(error, null),
    );
  }

  #fail(error: Error): void {
    if (this.#connection) this.pool.discard(this.#connection);
    this.#connection = null;
    this.#end(error, null);
  }

  #end(error: Error | null, response: HttpResponse | null): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#timer?.stop();
    this.#listening?.leave();
    this.end.ended(this);
    if (response) this.end.resolve(response);
    else this.end.reject(error as Error);
  }
}

function joined(chunks: readonly Buffer[]): Buffer {
  const [first] = chunks;
  return chunks.length === 1 && first ? first : Buffer.concat(chunks);
}
