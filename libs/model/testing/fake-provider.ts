import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as the fake saw it. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Readonly<Record<string, unknown>>;
  /** Milliseconds, monotonic. */
  readonly at: number;
}

/** What the fake does with one request. */
export interface FakeReply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text goes as it is; anything else as JSON. */
  readonly body?: unknown;
  readonly delayMs?: number;
  /** Breaks the connection instead of answering. */
  readonly reset?: boolean;
}

export type FakeBehaviour = (request: SeenRequest, index: number) => FakeReply | Promise<FakeReply>;

/** An HTTP server that answers like a model provider, and remembers what it was asked. For tests. */
export class FakeProvider {
  readonly seen: SeenRequest[] = [];
  /** Most requests that were open at one moment. */
  peak = 0;
  #open = 0;
  #behaviour: FakeBehaviour;
  readonly #server: Server;

  private constructor(behaviour: FakeBehaviour) {
    this.#behaviour = behaviour;
    this.#server = createServer((request, response) => void this.serve(request, response));
  }

  static async start(behaviour: FakeBehaviour = () => chatReply('ok')): Promise<FakeProvider> {
    const fake = new FakeProvider(behaviour);
    await new Promise<void>((resolve) => fake.#server.listen(0, '127.0.0.1', resolve));
    return fake;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Forgets what it saw and behaves anew: a function for every request, or a list of which the last one repeats. */
  behave(behaviour: FakeBehaviour | readonly FakeReply[]): void {
    this.seen.length = 0;
    this.peak = 0;
    this.#behaviour =
      typeof behaviour === 'function'
        ? behaviour
        : (_, index) => behaviour[Math.min(index, behaviour.length - 1)] ?? {};
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.peak = Math.max(this.peak, ++this.#open);
    response.once('close', () => this.#open--);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const seen: SeenRequest = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>,
      at: performance.now(),
    };
    const reply = await this.#behaviour(seen, this.seen.push(seen) - 1);
    if (reply.delayMs) await new Promise((resolve) => setTimeout(resolve, reply.delayMs).unref());
    if (reply.reset) {
      request.socket.destroy();
      return;
    }
    const isText = typeof reply.body === 'string';
    response.writeHead(reply.status ?? 200, {
      'content-type': isText ? 'text/html; charset=utf-8' : 'application/json',
      ...reply.headers,
    });
    response.end(isText ? reply.body : JSON.stringify(reply.body ?? {}));
  }
}

/** `/chat/completions` saying something. */
export function chatReply(content: string | null, extra: Readonly<Record<string, unknown>> = {}): FakeReply {
  const message = { role: 'assistant', content, ...extra };
  return {
    body: {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      choices: [{ index: 0, message, finish_reason: extra.tool_calls ? 'tool_calls' : 'stop' }],
      usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 },
    },
  };
}

/** `/chat/completions` calling the first tool it was offered. */
export function toolReply(request: SeenRequest, args: unknown): FakeReply {
  const [tool] = request.body.tools as { function: { name: string } }[];
  const call = { name: tool?.function.name, arguments: JSON.stringify(args) };
  return chatReply(null, { tool_calls: [{ id: 'call_1', type: 'function', function: call }] });
}

/** `/responses` saying something. */
export function responsesReply(text: string): FakeReply {
  return {
    body: {
      id: 'resp_1',
      status: 'completed',
      output: [
        { type: 'reasoning', id: 'rs_1', summary: [] },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] },
      ],
      usage: { input_tokens: 21, output_tokens: 9, total_tokens: 30 },
    },
  };
}

/** An error as OpenAI words it. */
export function errorReply(
  status: number,
  message: string,
  more: Readonly<{ param?: string; code?: string; headers?: Record<string, string> }> = {},
): FakeReply {
  const { headers, ...rest } = more;
  return {
    status,
    headers,
    body: { error: { message, type: 'invalid_request_error', param: null, code: null, ...rest } },
  };
}
