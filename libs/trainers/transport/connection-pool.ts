import type { buildConnector } from 'undici';
import { undici } from './undici.js';
import { Origin, PooledConnection, type Connection } from './origin.js';

/** How long an idle connection is kept. */
const IDLE_MS = 4_000;

export interface ConnectionPoolOptions {
  readonly connectTimeoutMs: number;
  readonly maxResponseBytes: number;
  /** Idle connections of the longest known origins are closed beyond this number of origins. */
  readonly maxOrigins: number;
  /** Idle connections kept at most; one that is returned beyond it is closed. */
  readonly maxIdleConnections: number;
}

/**
 * Idle undici clients per origin, the most recently used on top. A linked list and not undici's `Pool`, because that
 * looks through all busy clients for a free one: with thousands of waiting calls a quarter of the CPU. Busy connections
 * are not limited here: `HttpTransport` lets calls wait when that is wanted.
 */
export class ConnectionPool {
  readonly #origins = new Map<string, Origin>();
  #connector: buildConnector.connector | undefined;
  readonly #options: ConnectionPoolOptions;
  #idle = 0;

  constructor(options: ConnectionPoolOptions) {
    this.#options = options;
  }

  /** How many origins have a connection, busy or idle. */
  get originCount(): number {
    return this.#origins.size;
  }

  get idleCount(): number {
    return this.#idle;
  }

  /** @param fresh opens a new connection although there are idle ones */
  acquire(originUrl: string, fresh = false): Connection {
    const origin = this.#origins.get(originUrl) ?? this.#addOrigin(originUrl);
    const connection = (fresh ? null : this.#takeIdle(origin)) ?? this.#open(origin);
    origin.busy++;
    return connection;
  }

  /** Takes back a connection whose call has ended well. */
  release(connection: Connection): void {
    const pooled = connection as PooledConnection;
    pooled.reused = true;
    pooled.origin.busy--;
    if (this.#idle < this.#options.maxIdleConnections) {
      this.#idle++;
      pooled.origin.push(pooled);
      return;
    }
    pooled.client.destroy(null, () => {});
    this.#dropIfEmpty(pooled.origin);
  }

  /** Forgets a connection whose call has failed; its socket is closed, or closing. */
  discard(connection: Connection): void {
    const { origin } = connection as PooledConnection;
    origin.busy--;
    this.#dropIfEmpty(origin);
  }

  /** Closes the idle connections. */
  close(): void {
    for (const origin of this.#origins.values()) this.#closeIdle(origin);
  }

  #addOrigin(url: string): Origin {
    if (this.#origins.size >= this.#options.maxOrigins) this.#evictOne();
    const origin = new Origin(url);
    this.#origins.set(url, origin);
    return origin;
  }

  /** An origin with calls in flight stays: its rollouts will need it again. */
  #evictOne(): void {
    for (const origin of this.#origins.values()) {
      if (origin.busy > 0) continue;
      this.#closeIdle(origin);
      return;
    }
  }

  #closeIdle(origin: Origin): void {
    for (let idle = this.#takeIdle(origin); idle; idle = this.#takeIdle(origin)) idle.client.destroy(null, () => {});
    this.#dropIfEmpty(origin);
  }

  #takeIdle(origin: Origin): PooledConnection | null {
    const connection = origin.pop();
    if (connection) this.#idle--;
    return connection;
  }

  #dropIfEmpty(origin: Origin): void {
    if (origin.busy === 0 && !origin.top) this.#origins.delete(origin.url);
  }

  #open(origin: Origin): PooledConnection {
    const { Client, buildConnector } = undici();
    // One connector for all, so that TLS sessions are resumed from connection to connection.
    this.#connector ??= buildConnector({ timeout: this.#options.connectTimeoutMs, autoSelectFamily: true });
    const client = new Client(origin.parsed, {
      connect: this.#connector,
      maxResponseSize: this.#options.maxResponseBytes,
      // Below the 5 s after which uvicorn and Node close an idle connection, whatever longer time a peer promises.
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: IDLE_MS,
      // The call's own deadline covers headers and body.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const connection = new PooledConnection(client, origin);
    client.on('disconnect', () => {
      connection.reused = false;
      if (!connection.idle) return;
      origin.remove(connection);
      this.#idle--;
      this.#dropIfEmpty(origin);
    });
    return connection;
  }
}
