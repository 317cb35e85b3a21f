import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { httpMessage, HttpReader } from './http-bytes.js';

const OK = 'HTTP/1.1 200 OK';
const TOOL_CALL = chatAnswer(
  '{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function",' +
    '"function":{"name":"add","arguments":"{\\"a\\": 2, \\"b\\": 3}"}}]}',
  'tool_calls',
);
const FINAL = chatAnswer('{"role":"assistant","content":"5"}', 'stop');
const TOOL_MESSAGE = Buffer.from('"role":"tool"');
const ACKNOWLEDGED = httpMessage(OK, '{"status":"ok"}');
const INIT_CONNECTIONS = 64;

function chatAnswer(message: string, finishReason: string): string {
  const usage = '{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120}';
  return httpMessage(
    OK,
    `{"id":"c","object":"chat.completion","choices":[{"index":0,"message":${message},"finish_reason":"${finishReason}"}],"usage":${usage}}`,
  );
}

/**
 * A trainer and its load on one server: so many rollouts always in flight, each of two turns with one tool call, all over
 * raw sockets. Each rollout is four HTTP exchanges.
 */
export class Load {
  /** Rollouts whose completion has come. */
  completed = 0;
  /** Milliseconds from the init to the completion, of those that completed since the last {@link takeLatencies}. */
  #latencies: number[] = [];
  #last = 0;
  #running = false;
  #limit = Infinity;
  readonly #startedAt = new Map<string, number>();
  readonly #idle: Socket[] = [];
  readonly #waiting: string[] = [];
  readonly #sockets = new Set<Socket>();
  #whenDone: (() => void) | null = null;

  private constructor(
    private readonly trainer: Server,
    private readonly trainerUrl: string,
    private readonly server: URL,
    private readonly prefix: string,
  ) {}

  /** @param prefix of the rollout ids, so that two loads of one server do not meet */
  static async open(serverUrl: string, prefix = 'b'): Promise<Load> {
    const trainer = createServer();
    await new Promise<void>((resolve) => trainer.listen(0, '127.0.0.1', 4096, resolve));
    const { port } = trainer.address() as AddressInfo;
    const load = new Load(trainer, `http://127.0.0.1:${port}`, new URL(serverUrl), prefix);
    trainer.on('connection', (socket) => load.#serve(socket));
    for (let index = 0; index < INIT_CONNECTIONS; index++) load.#connect();
    return load;
  }

  /** Keeps so many rollouts in flight, until {@link stop} or the number of rollouts is reached. */
  start(concurrency: number, rollouts = Infinity): void {
    this.#running = true;
    this.#limit = this.#last + rollouts;
    for (let index = 0; index < concurrency && this.#last < this.#limit; index++) this.#init();
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

  takeLatencies(): number[] {
    const latencies = this.#latencies;
    this.#latencies = [];
    return latencies;
  }

  close(): void {
    this.trainer.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #serve(socket: Socket): void {
    this.#keep(socket);
    const reader = new HttpReader(({ head, body }) => {
      const isCompletion = head.startsWith('POST /v1/rollout/completed');
      socket.write(isCompletion ? ACKNOWLEDGED : body.includes(TOOL_MESSAGE) ? FINAL : TOOL_CALL);
      if (isCompletion) this.#ended(/"rollout_id":"([^"]+)"/.exec(body.toString('latin1', 0, 200))?.[1] ?? '');
    });
    socket.on('data', (chunk) => reader.push(chunk));
  }

  #connect(): void {
    const socket = connect(Number(this.server.port), this.server.hostname);
    this.#keep(socket);
    const reader = new HttpReader(({ head }) => {
      if (!head.startsWith('HTTP/1.1 202')) throw new Error(`An init was answered: ${head.split('\r\n', 1)[0]}`);
      const next = this.#waiting.shift();
      if (next === undefined) this.#idle.push(socket);
      else socket.write(next);
    });
    socket.on('data', (chunk) => reader.push(chunk));
    this.#idle.push(socket);
  }

  #keep(socket: Socket): void {
    socket.setNoDelay(true);
    this.#sockets.add(socket);
    socket.on('error', () => socket.destroy()).on('close', () => this.#sockets.delete(socket));
  }

  #init(): void {
    const id = `${this.prefix}${++this.#last}`;
    const body =
      `{"rollout_id":"${id}","server_url":"${this.trainerUrl}","messages":[{"role":"system","content":"Use the tools."},` +
      '{"role":"user","content":"What is 2 + 3?"}],"completion_params":{"temperature":1},"metadata":{"ground_truth":"5"}}';
    this.#startedAt.set(id, performance.now());
    const bytes = httpMessage('POST /v1/rollout/init HTTP/1.1', body, `host: ${this.server.host}\r\n`);
    const socket = this.#idle.pop();
    if (socket) socket.write(bytes);
    else this.#waiting.push(bytes);
  }

  #ended(id: string): void {
    const startedAt = this.#startedAt.get(id);
    if (startedAt === undefined) throw new Error(`A completion came twice, or for an unknown rollout: ${id}`);
    this.#startedAt.delete(id);
    this.completed++;
    this.#latencies.push(performance.now() - startedAt);
    if (this.#running && this.#last < this.#limit) this.#init();
    if (this.#startedAt.size === 0) this.#whenDone?.();
  }
}
