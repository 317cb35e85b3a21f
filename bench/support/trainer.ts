import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { httpMessage, HttpReader } from './http-bytes.js';
import { V02, type Wire } from './wires.js';

export interface TrainerOptions {
  /** Chat calls of a rollout: all but the last are answered by a tool call. Default 2. */
  readonly turns?: number;
  /** How long the first chat call of each rollout waits for its answer, in milliseconds. Default 0. */
  readonly delayMs?: number;
  /** Default: dialect 0.2. */
  readonly wire?: Wire;
}

const OK = 'HTTP/1.1 200 OK';
const ACKNOWLEDGED = httpMessage(OK, '{"status":"ok"}');
const FINAL = chatAnswer('{"role":"assistant","content":"5"}', 'stop');
const METHOD = 'POST ';
const CHAT = `${METHOD}/v1/chat/`;
const TOOL_CALL_ID = Buffer.from('"tool_call_id"');

function chatAnswer(message: string, finishReason: string): string {
  const usage = '{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120}';
  return httpMessage(
    OK,
    `{"id":"c","object":"chat.completion","choices":[{"index":0,"message":${message},"finish_reason":"${finishReason}"}],"usage":${usage}}`,
  );
}

function toolCallAnswer(turn: number): string {
  const call = `{"id":"call_${turn}","type":"function","function":{"name":"add","arguments":"{\\"a\\": 2, \\"b\\": 3}"}}`;
  return chatAnswer(`{"role":"assistant","content":null,"tool_calls":[${call}]}`, 'tool_calls');
}

/** The trainer's side over raw sockets: answers chat calls, takes completions. */
export class BenchTrainer {
  /** Chat calls that were answered. */
  chats = 0;
  /** Chat calls that wait for their answer. */
  waiting = 0;
  onCompleted: (rolloutId: string) => void = () => {};
  readonly #answers: readonly string[];
  readonly #delayMs: number;
  readonly #wire: Wire;
  readonly #sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    { turns = 2, delayMs = 0, wire = V02 }: TrainerOptions,
  ) {
    this.#answers = Array.from({ length: turns }, (_, turn) => (turn < turns - 1 ? toolCallAnswer(turn + 1) : FINAL));
    this.#delayMs = delayMs;
    this.#wire = wire;
  }

  static async listen(options: TrainerOptions = {}): Promise<BenchTrainer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 4096, resolve));
    const trainer = new BenchTrainer(server, options);
    server.on('connection', (socket) => trainer.#serve(socket));
    return trainer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => socket.destroy()).on('close', () => this.#sockets.delete(socket));
    const reader = new HttpReader(({ head, body }) => {
      if (head.startsWith(CHAT)) return this.#answer(socket, turnOf(body));
      socket.write(ACKNOWLEDGED);
      if (head.startsWith(this.#wire.lastPath, METHOD.length)) this.#ended(body);
    });
    socket.on('data', (chunk) => reader.push(chunk));
  }

  #ended(body: Buffer): void {
    const begin = body.toString('latin1', 0, 200);
    if (!this.#wire.success.test(begin)) throw new Error(`A rollout has failed: ${body.toString('utf8', 0, 1_000)}`);
    this.onCompleted(/"rollout_id": ?"([^"]+)"/.exec(begin)?.[1] ?? '');
  }

  #answer(socket: Socket, turn: number): void {
    const text = this.#answers[turn] ?? FINAL;
    if (turn > 0 || this.#delayMs === 0) {
      this.chats++;
      socket.write(text);
      return;
    }
    this.waiting++;
    setTimeout(() => {
      this.waiting--;
      this.chats++;
      socket.write(text);
    }, this.#delayMs);
  }
}

/** How many tool calls the conversation has answered: the last of them names its number. */
function turnOf(body: Buffer): number {
  const at = body.lastIndexOf(TOOL_CALL_ID);
  return at < 0 ? 0 : Number(/call_(\d+)/.exec(body.toString('latin1', at, at + 40))?.[1] ?? 0);
}
