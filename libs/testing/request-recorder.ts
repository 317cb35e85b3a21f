import type { IncomingHttpHeaders } from 'node:http';

export const CHAT_PATH = '/v1/chat/completions';
export const COMPLETED_PATH = '/v1/rollout/completed';

/** Rollout, and what of it, in the paths of dialect 0.3. */
const ROLLOUT_PATH = /^\/v1\/rollouts\/([^/]+)\/(completion|grader|chat\/completions)$/;

/** One request as it came in. */
export class RecordedRequest {
  #body: { readonly value: unknown } | undefined;

  constructor(
    readonly method: string,
    /** Path with the query, undecoded. */
    readonly path: string,
    /** Names in lower case. Holds the bearer as it was sent. */
    readonly headers: IncomingHttpHeaders,
    /** The body's text, byte for byte when it was UTF-8. */
    readonly rawBody: string,
    /** Milliseconds since the epoch. */
    readonly receivedAt: number,
  ) {}

  /** The body read as JSON, read when first asked for; undefined when it is none. */
  get body(): unknown {
    this.#body ??= { value: parseJson(this.rawBody) };
    return this.#body.value;
  }

  /** The rollout that the path names (dialect 0.3), or the `rollout_id` of the body, when it has one. */
  get rolloutId(): string | undefined {
    const named = ROLLOUT_PATH.exec(this.path);
    if (named?.[1] !== undefined) return decodeURIComponent(named[1]);
    const body = this.body;
    if (typeof body !== 'object' || body === null || !('rollout_id' in body)) return undefined;
    return typeof body.rollout_id === 'string' ? body.rollout_id : undefined;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface RequestRecorderOptions {
  /** Requests kept at most; the oldest goes first. 10,000 when left out. */
  readonly limit?: number;
}

/**
 * Keeps every request that a mock trainer receives: also those that it refuses, drops, or knows no route for.
 *
 * @example
 * const recorder = new RequestRecorder();
 * const trainer = await createMockTrainerApp({ recorder, script });
 * // … a rollout …
 * expect(recorder.chats[1].rawBody).toContain(JSON.stringify(firstAnswer));
 */
export class RequestRecorder {
  readonly #requests: RecordedRequest[] = [];
  readonly #limit: number;

  constructor(options: RequestRecorderOptions = {}) {
    this.#limit = options.limit ?? 10_000;
  }

  /** In order of arrival. */
  get requests(): readonly RecordedRequest[] {
    return this.#requests;
  }

  /** The chat requests. */
  get chats(): readonly RecordedRequest[] {
    return this.#posts((path) => path === CHAT_PATH || ROLLOUT_PATH.exec(path)?.[2] === 'chat/completions');
  }

  /** The completions of dialect 0.2, repeated deliveries included. */
  get completions(): readonly RecordedRequest[] {
    return this.#posts((path) => path === COMPLETED_PATH);
  }

  /** The completion and grader callbacks of dialect 0.3, repeated deliveries included. */
  get callbacks(): readonly RecordedRequest[] {
    return this.#posts((path) => /^(?:completion|grader)$/.test(ROLLOUT_PATH.exec(path)?.[2] ?? ''));
  }

  forRollout(rolloutId: string): readonly RecordedRequest[] {
    return this.#requests.filter((request) => request.rolloutId === rolloutId);
  }

  record(request: RecordedRequest): void {
    this.#requests.push(request);
    if (this.#requests.length > this.#limit) this.#requests.shift();
  }

  clear(): void {
    this.#requests.length = 0;
  }

  #posts(isMeant: (path: string) => boolean): readonly RecordedRequest[] {
    return this.#requests.filter((request) => request.method === 'POST' && isMeant(request.path));
  }
}
