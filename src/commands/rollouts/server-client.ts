import {
  describeThrown,
  hasControlCharacters,
  OsmosisError,
  PeerStatusError,
  PeerTimeoutError,
  ProtocolError,
  TransportError,
  type Secret,
} from '#domain';
import { detailOf, excerpt, isAboutRollout, parseJson } from './answer-text.js';
import { exchange, type HttpAnswer } from './http-exchange.js';
import { isObject } from './rollout-json.js';

/** Far above what a list takes; a server that hangs must not hang the one who looks into it. */
const TIMEOUT_MS = 30_000;

/** The control routes of a running server. */
export class ServerClient {
  readonly #base: string;
  readonly #headers: Readonly<Record<string, string>>;

  /**
   * @param url with the server's global prefix, if it has one; `http://` may be left out
   * @throws OsmosisError USAGE for a URL or a key that cannot be used
   */
  constructor(
    url: string,
    apiKey: Secret | null,
    private readonly signal?: AbortSignal,
  ) {
    this.#base = readBaseUrl(url);
    this.#headers = { accept: 'application/json', ...(apiKey && { authorization: bearer(apiKey) }) };
  }

  /** How errors name it. */
  get name(): string {
    return this.#base;
  }

  /**
   * Gives the answer's JSON.
   *
   * @throws OsmosisError ROLLOUT_NOT_FOUND, UNAUTHORIZED, REQUEST_INVALID, a PeerError, or the signal's reason
   */
  async send(method: 'GET' | 'POST', path: string, body?: object): Promise<unknown> {
    const { status, text } = await this.#exchange(method, path, body);
    const answer = parseJson(text);
    if (status >= 200 && status < 300) {
      if (answer !== undefined) return answer;
      throw new ProtocolError(`${this.#where(method, path)} gave no JSON: ${excerpt(text)}. ${IS_IT_OURS}`);
    }
    throw this.#refusal(status, detailOf(answer) ?? excerpt(text), `${this.#where(method, path)} answered ${status}`);
  }

  async #exchange(method: string, path: string, body: object | undefined): Promise<HttpAnswer> {
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    try {
      return await exchange(new URL(this.#base + path), {
        method,
        headers: { ...this.#headers, ...(body && { 'content-type': 'application/json' }) },
        body: body && JSON.stringify(body),
        signal: this.signal ? AbortSignal.any([this.signal, timeout]) : timeout,
      });
    } catch (error) {
      this.signal?.throwIfAborted();
      if (timeout.aborted) {
        throw new PeerTimeoutError(
          `${this.#where(method, path)} gave no answer within ${TIMEOUT_MS / 1000} s. Is the server blocked? Its log may tell.`,
        );
      }
      throw new TransportError(
        `Cannot reach the server at ${this.#base}: ${connectionFault(error)}. Start it, name another with --url, or read ` +
          'its files with --data-dir.',
        { cause: error },
      );
    }
  }

  #refusal(status: number, detail: string, what: string): OsmosisError {
    if (status === 401) {
      const cure = 'Give one of its keys with --api-key or in OSMOSIS_API_KEY.';
      return new OsmosisError('UNAUTHORIZED', `The server at ${this.#base} asks for another key (${detail}). ${cure}`);
    }
    if (status === 404 && isAboutRollout(detail)) return new OsmosisError('ROLLOUT_NOT_FOUND', detail);
    if (status === 422) return new OsmosisError('REQUEST_INVALID', `${what}: ${detail}.`);
    const cure = status === 404 || status < 400 ? IS_IT_OURS : 'Its log may tell more.';
    return new PeerStatusError(`${what}: ${detail || 'without a reason'}. ${cure}`, { status });
  }

  #where(method: string, path: string): string {
    return `${method} ${this.#base}${path}`;
  }
}

const IS_IT_OURS = 'Is it a nestjs-osmosis server? A global prefix belongs to --url.';

function readBaseUrl(text: string): string {
  const full = text.includes('://') ? text : `http://${text}`;
  const url = URL.canParse(full) ? new URL(full) : null;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new OsmosisError(
      'USAGE',
      `--url cannot be '${text}'. Give an http or https URL, like http://127.0.0.1:8000.`,
    );
  }
  if (url.username || url.password) {
    throw new OsmosisError('USAGE', '--url holds credentials. Leave them out, and give the key with --api-key.');
  }
  return url.origin + url.pathname.replace(/\/+$/, '');
}

function bearer(apiKey: Secret): string {
  const key = apiKey.reveal();
  if (hasControlCharacters(key)) {
    throw new OsmosisError(
      'USAGE',
      'The API key holds control characters, which no HTTP header can carry. Look into it.',
    );
  }
  // Headers carry bytes: what is not ASCII travels as UTF-8, as the server compares it.
  return `Bearer ${Buffer.from(key).toString('latin1')}`;
}

/** The error of a host with several addresses has a code and no message. */
function connectionFault(error: unknown): string {
  const text = describeThrown(error);
  if (!text.includes(' without a message') || !isObject(error)) return text;
  return typeof error['code'] === 'string' ? error['code'] : text;
}
