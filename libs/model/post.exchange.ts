import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { rawHeader } from '#domain';
import type { ProviderReply } from './provider.reply.js';

export interface PostRequest {
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** We ask for no coding, but some proxies compress all the same. */
const DECODERS: ReadonlyMap<string, (body: Buffer) => Promise<Buffer>> = new Map([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
]);

/**
 * One POST from its first byte to its end: undici's handler, and what a deadline or a cancellation ends.
 *
 * Of undici's two handler interfaces this is the older: the other is built on it, and reads all headers of each answer.
 */
export class PostExchange implements Dispatcher.DispatchHandler {
  #abort: ((reason?: Error) => void) | null = null;
  #abandoned: Error | null = null;
  #status = 0;
  #headers: readonly Buffer[] = [];
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
    this.#abort?.(this.#abandoned);
  }

  onConnect(abort: (reason?: Error) => void): void {
    this.#abort = abort;
    // It waited for a connection meanwhile.
    if (this.#abandoned) abort(this.#abandoned);
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
    const [first] = this.#chunks;
    const body = this.#chunks.length === 1 && first ? first : Buffer.concat(this.#chunks);
    const encoding = rawHeader(this.#headers, 'content-encoding');
    this.#resolve(encoding === null ? this.#reply(body) : decoded(body, encoding).then((text) => this.#reply(text)));
  }

  onError(error: Error): void {
    this.#reject(error);
  }

  #reply(body: Buffer): ProviderReply {
    return {
      status: this.#status,
      contentType: rawHeader(this.#headers, 'content-type') ?? '',
      retryAfter: rawHeader(this.#headers, 'retry-after'),
      location: rawHeader(this.#headers, 'location'),
      text: body.toString(),
    };
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
