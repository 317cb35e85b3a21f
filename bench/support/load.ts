import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { httpMessage, HttpReader } from './http-bytes.js';
import type { BenchTrainer } from './trainer.js';
import { V02, type Wire } from './wires.js';

/** What the servers under test ask of their callers. */
export const BENCH_API_KEY = 'bench-key-of-the-servers-under-test';
const INIT_CONNECTIONS = 64;
const AT_ONCE = 500;

export interface LoadOptions {
  /** Of the rollout ids, so that two loads of one server do not meet. Default `b`. */
  readonly prefix?: string;
  /** Fields of the init besides the usual, as JSON without braces. */
  readonly fields?: string;
  /** Default: dialect 0.2. */
  readonly wire?: Wire;
}

/**
 * The load of a trainer on one server: so many rollouts always in flight, each of two turns with one tool call, all over
 * raw sockets. Each rollout is four HTTP exchanges.
 */
export class Load {
  /** Rollouts whose completion has come. */
  completed = 0;
  /** Inits that were answered 429 or 503. */
  refused = 0;
  /** Milliseconds from the init to the completion, of those that completed since the last {@link takeLatencies}. */
  #latencies: number[] = [];
  /** Milliseconds from the init to its 202. */
  readonly acceptLatencies: number[] = [];
  #last = 0;
  #running = false;
  #isClosing = false;
  #limit = Infinity;
  readonly #startedAt = new Map<string, number>();
  readonly #idle: InitConnection[] = [];
  readonly #waiting: PendingInit[] = [];
  readonly #sockets = new Set<Socket>();
  private readonly server: URL;
  readonly #prefix: string;
  readonly #fields: string;
  readonly #wire: Wire;
  #whenDone: (() => void) | null = null;
  #mark = Infinity;
  #whenReached: (() => void) | null = null;

  constructor(
    private readonly trainer: BenchTrainer,
    serverUrl: string,
    { prefix = 'b', fields = '', wire = V02 }: LoadOptions = {},
  ) {
    this.server = new URL(serverUrl);
    this.#prefix = prefix;
    this.#fields = fields;
    this.#wire = wire;
    trainer.onCompleted = (id) => this.#ended(id);
  }

  /** Opens its connections: so few at a time that the server's queue of them does not overflow, which costs some of them seconds. */
  async open(connections = INIT_CONNECTIONS): Promise<void> {
    for (let left = connections; left > 0; left -= AT_ONCE) {
      const sockets = Array.from({ length: Math.min(left, AT_ONCE) }, () => this.#connect());
      await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    }
  }

  get inFlight(): number {
    return this.#startedAt.size;
  }

  /** Keeps so many rollouts in flight, until {@link stop} or the number of rollouts is reached. */
  start(concurrency: number, rollouts = Infinity): void {
    this.#running = true;
    this.#limit = this.#last + rollouts;
    for (let index = 0; index < concurrency && this.#last < this.#limit; index++) this.#init();
  }

  /** Starts so many rollouts, none to follow them. */
  add(rollouts: number): void {
    for (let index = 0; index < rollouts; index++) this.#init();
  }

  /** Starts no more, and waits for those in flight. */
  stop(): Promise<void> {
    this.#running = false;
    return this.done();
  }

  done(): Promise<void> {
    if (this.#startedAt.size === 0) return Promise.resolve();
    return new Promise((resolve) => (this.#whenDone = resolve));
  }

  /** Resolves when so many rollouts have completed in all. */
  reaches(completed: number): Promise<void> {
    this.#mark = completed;
    return new Promise((resolve) => (this.#whenReached = resolve));
  }

  takeLatencies(): number[] {
    const latencies = this.#latencies;
    this.#latencies = [];
    return latencies;
  }

  close(): void {
    this.#isClosing = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  #connect(): Socket {
    const socket = connect(Number(this.server.port), this.server.hostname);
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    const connection: InitConnection = { socket, pending: null };
    const reader = new HttpReader(({ head, body }) => this.#answered(connection, head, body));
    socket.on('data', (chunk) => reader.push(chunk));
    socket.on('error', () => socket.destroy()).on('close', () => this.#closed(connection));
    this.#idle.push(connection);
    return socket;
  }

  #answered(connection: InitConnection, head: string, body: Buffer): void {
    // A server says so before it closes a connection that is idle for long.
    if (!connection.pending) return;
    const refused = /^HTTP\/1.1 (429|503)/.test(head);
    if (!refused && !head.startsWith('HTTP/1.1 202')) {
      throw new Error(`An init was answered: ${head.split('\r\n', 1)[0]} ${body.toString('utf8', 0, 300)}`);
    }
    if (refused) this.#drop(connection.pending.id);
    else this.acceptLatencies.push(performance.now() - connection.pending.askedAt);
    connection.pending = this.#waiting.shift() ?? null;
    if (connection.pending) connection.socket.write(connection.pending.bytes);
    else this.#idle.push(connection);
  }

  /** A server that is overloaded says so; a trainer would come again. */
  #drop(id: string): void {
    this.refused++;
    this.#startedAt.delete(id);
    if (this.#startedAt.size === 0) this.#whenDone?.();
  }

  #closed(connection: InitConnection): void {
    this.#sockets.delete(connection.socket);
    if (this.#isClosing) return;
    const { pending } = connection;
    if (!pending) this.#idle.splice(this.#idle.indexOf(connection), 1);
    this.#connect();
    if (pending) this.#send(pending);
  }

  #init(): void {
    const id = `${this.#prefix}${++this.#last}`;
    const body = this.#wire.init(id, this.trainer.url, this.#fields);
    const askedAt = performance.now();
    this.#startedAt.set(id, askedAt);
    const headers = `host: ${this.server.host}\r\nauthorization: Bearer ${BENCH_API_KEY}\r\n`;
    this.#send({ id, bytes: httpMessage(`POST ${this.#wire.initPath} HTTP/1.1`, body, headers), askedAt });
  }

  #send(init: PendingInit): void {
    const connection = this.#idle.pop();
    if (!connection) return void this.#waiting.push(init);
    connection.pending = init;
    connection.socket.write(init.bytes);
  }

  #ended(id: string): void {
    const startedAt = this.#startedAt.get(id);
    if (startedAt === undefined) throw new Error(`A completion came twice, or for an unknown rollout: ${id}`);
    this.#startedAt.delete(id);
    this.completed++;
    this.#latencies.push(performance.now() - startedAt);
    if (this.#running && this.#last < this.#limit) this.#init();
    if (this.completed === this.#mark) this.#whenReached?.();
    if (this.#startedAt.size === 0) this.#whenDone?.();
  }
}

interface PendingInit {
  readonly id: string;
  readonly bytes: string;
  readonly askedAt: number;
}

interface InitConnection {
  readonly socket: Socket;
  /** What it carries; null while it is idle. */
  pending: PendingInit | null;
}
