import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import type { Dispatcher } from 'undici';
import type { ProviderReply } from './provider.reply.js';

export interface PostRequest {
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** We ask for no coding, but some proxies compress all the same. */
const DECODERS: ReadonlyMap<string, (body: Buffer) => Promise<Buffer>> = new Map([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
]);

/** One POST from its first byte to its end: undici's handler, and what a deadline or a cancellation ends. */
export class PostExchange implements Dispatcher.DispatchHandler {
  #controller: Dispatcher.DispatchController | null = null;
  #abandoned: Error | null = null;
  #status = 0;
  #headers: Headers = {};
  readonly #chunks: Buffer[] = [];
  #resolve: (reply: ProviderReply | Promise<ProviderReply>) => void = () => {};
  #reject: (error: Error) => void = () => {};

  /** @throws what undici says, or the reason it was abandoned for. Redirects are not followed */
  run(dispatcher: Dispatcher, { origin, path, headers, body }: PostRequest): Promise<ProviderReply> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      dispatcher.dispatch({ origin, path, method: 'POST', headers, body }, this);
    });
  }

  abandon(reason: Error): void {
    this.#abandoned ??= reason;
    this.#reject(this.#abandoned);
    this.#controller?.abort(this.#abandoned);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // It waited for a connection meanwhile.
    if (this.#abandoned) controller.abort(this.#abandoned);
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Headers): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    const [first] = this.#chunks;
    const body = this.#chunks.length === 1 && first ? first : Buffer.concat(this.#chunks);
    const encoding = this.#header('content-encoding');
    this.#resolve(encoding === null ? this.#reply(body) : decoded(body, encoding).then((text) => this.#reply(text)));
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#reject(error);
  }

  #reply(body: Buffer): ProviderReply {
    return {
      status: this.#status,
      contentType: this.#header('content-type') ?? '',
      retryAfter: this.#header('retry-after'),
      location: this.#header('location'),
      text: body.toString(),
    };
  }

  #header(name: string): string | null {
    const value = this.#headers[name];
    return (typeof value === 'string' ? value : value?.[0]) ?? null;
  }
}

/** Codings are listed in the order in which they were applied. */
async function decoded(body: Buffer, encoding: string): Promise<Buffer> {
  let bytes = body;
  for (const coding of encoding.toLowerCase().split(',').reverse()) {
    const name = coding.trim();
    if (name === '' || name === 'identity') continue;
    const decode = DECODERS.get(name);
    if (!decode) throw new Error(`the answer has the unknown content-encoding '${name}'`);
    bytes = await decode(bytes);
  }
  return bytes;
}
