import { Inject, Injectable, Optional, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { LinkedList, TransportError, type Clock } from '#domain';
import { LOAD_AFTER_MS } from '../load-after.js';
import { ConnectionPool } from './connection-pool.js';
import type { HttpResponse, PostRequest } from './http-message.js';
import { parseHttpUrl } from './http-url.js';
import { PostCall } from './post-call.js';
import { HTTP_TRANSPORT_OPTIONS, resolveTransportOptions, type HttpTransportOptions } from './transport.options.js';
import { undici } from './undici.js';

/**
 * The one HTTP client for all trainers of a process: keep-alive connections shared by all rollouts, one deadline a call,
 * no redirect to strangers, no proxies (the proxy variables of the environment are not read: a trainer's bearer goes to
 * the trainer only).
 */
@Injectable()
export class HttpTransport implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly clock: Clock;
  readonly #options: Required<HttpTransportOptions>;
  readonly #pool: ConnectionPool;
  readonly #calls = new LinkedList<PostCall>();
  /** Calls that wait because `maxConnections` are under way; in order of arrival. */
  readonly #waiting = new LinkedList<PostCall>();
  readonly #ended = (call: PostCall): void => {
    call.place?.leave();
    if (!call.waitingPlace?.leave()) this.#sendNext();
  };
  #loading: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(@Optional() @Inject(HTTP_TRANSPORT_OPTIONS) options: HttpTransportOptions = {}) {
    this.#options = resolveTransportOptions(options);
    this.clock = this.#options.clock;
    this.#pool = new ConnectionPool(this.#options);
  }

  /** Connections that wait for the next call, and origins that are known. */
  get stats(): { readonly idle: number; readonly busy: number; readonly origins: number } {
    return { idle: this.#pool.idleCount, busy: this.#calls.size - this.#waiting.size, origins: this.#pool.originCount };
  }

  /**
   * Resolves with the complete answer, of whatever status; no answer is an error here but a refused redirect.
   *
   * @throws PeerTimeoutError, TransportError, ProtocolError, PeerStatusError (redirects); the reason of the
   *   cancellation when that came first
   */
  post(request: PostRequest): Promise<HttpResponse> {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(closedError());
      request.cancellation?.throwIfCancelled();
      const url = typeof request.url === 'string' ? parseHttpUrl(request.url) : request.url;
      const call = new PostCall(this.#pool, this.#options, request, url, { resolve, reject, ended: this.#ended });
      call.limit(this.clock);
      call.place = this.#calls.add(call);
      if (this.#calls.size - this.#waiting.size > this.#options.maxConnections) {
        call.waitingPlace = this.#waiting.add(call);
      } else {
        call.send();
      }
    });
  }

  onApplicationBootstrap(): void {
    this.#loading = setTimeout(() => {
      try {
        undici();
      } catch {
        // The first connection tries again, and its call tells what is wrong.
      }
    }, LOAD_AFTER_MS).unref();
  }

  /** The longest waiting call, whose time runs since it was asked for, takes the place of one that ended. */
  #sendNext(): void {
    if (!this.#closed) this.#waiting.shift()?.send();
  }

  /** Ends what is still under way and closes all connections. By then the engine has drained. */
  onApplicationShutdown(): void {
    this.#closed = true;
    clearTimeout(this.#loading);
    for (const call of [...this.#calls]) call.abandon(closedError());
    this.#pool.close();
  }
}

function closedError(): TransportError {
  return new TransportError('The HTTP client for trainers is closed: the application is shutting down.');
}
