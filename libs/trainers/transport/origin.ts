import type { Client } from 'undici';

/** One socket's worth of HTTP, used by one call at a time. */
export interface Connection {
  readonly client: Client;
  /** The socket under it has served a call before: the peer may be closing it at this very moment. */
  readonly reused: boolean;
}

export class PooledConnection implements Connection {
  reused = false;
  idle = false;
  above: PooledConnection | null = null;
  below: PooledConnection | null = null;

  constructor(
    readonly client: Client,
    readonly origin: Origin,
  ) {}
}

/** The idle connections of one origin: a stack that can also give up one from its middle. */
export class Origin {
  busy = 0;
  top: PooledConnection | null = null;

  /** Read once for all its connections. */
  readonly parsed: URL;

  constructor(readonly url: string) {
    this.parsed = new URL(url);
  }

  push(connection: PooledConnection): void {
    connection.idle = true;
    connection.below = this.top;
    if (this.top) this.top.above = connection;
    this.top = connection;
  }

  pop(): PooledConnection | null {
    const connection = this.top;
    if (connection) this.remove(connection);
    return connection;
  }

  remove(connection: PooledConnection): void {
    if (connection.above) connection.above.below = connection.below;
    else this.top = connection.below;
    if (connection.below) connection.below.above = connection.above;
    connection.above = null;
    connection.below = null;
    connection.idle = false;
  }
}
