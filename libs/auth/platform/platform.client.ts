import {
  OsmosisError,
  PeerStatusError,
  PeerTimeoutError,
  ProtocolError,
  TransportError,
  backoffDelayMs,
  hasControlCharacters,
  parseRetryAfterMs,
  type BackoffPolicy,
  type Secret,
} from '#domain';
import { AuthRejectedError } from '../auth.error.js';
import type { AuthSettings } from '../auth.settings.js';
import type { LoginResolver } from '../credentials/login.resolver.js';
import { pause } from '../pause.js';
import { excerpt, exchange, type ExchangeAnswer } from './platform.exchange.js';
import type { PlatformTransport } from './platform.transport.js';

export interface PlatformRequestOptions {
  /** Default `GET`. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Sent as JSON; absent: no body. */
  readonly body?: unknown;
  /** Added to ours, and stronger than ours. */
  readonly headers?: Readonly<Record<string, string>>;
  /** For the whole call, retries included. Default: the module's, 30 s. */
  readonly timeoutMs?: number;
  /** Whose call it is: a token, the stored login (`'login'`, the default), or nobody's (`'anonymous'`). */
  readonly token?: Secret | 'login' | 'anonymous';
  /** Whether asking twice does no harm, so that a failed call is tried again. Default: true for all but POST and PATCH. */
  readonly idempotent?: boolean;
  /** Another platform than the configured one: where a stored token belongs. */
  readonly platformUrl?: string;
  readonly signal?: AbortSignal;
}

const ATTEMPTS = 3;
const BACKOFF: BackoffPolicy = { baseDelayMs: 250, maxDelayMs: 2_000 };

/**
 * Calls to the Osmosis platform (spec E.5). Errors are typed: nobody logged in or expired (before any network), 401
 * (`AuthRejectedError`; nothing is ever deleted for it), another status (`PeerStatusError`), no connection, no answer in
 * time, an answer that is no JSON. The token is in none of them, and in no log.
 */
export class PlatformClient {
  constructor(
    private readonly settings: AuthSettings,
    private readonly transport: PlatformTransport,
    private readonly logins: LoginResolver,
  ) {}

  /** The answer's JSON; null for an empty success. */
  async request(path: string, options: PlatformRequestOptions = {}): Promise<unknown> {
    const token = await this.#tokenFor(options.token ?? 'login');
    const answer = await this.#send(path, options, token);
    const where = `${options.method ?? 'GET'} ${path}`;
    if (answer.status === 401) {
      throw new AuthRejectedError(
        "The platform does not accept the login (HTTP 401): it was revoked, or belongs to another platform. Run 'osmosis login'.",
        { details: { path } },
      );
    }
    if (answer.status < 200 || answer.status > 299) throw statusError(where, answer, token);
    return parseAnswer(where, answer.text);
  }

  /** Like {@link request}, for calls whose refusals are part of the conversation: status and JSON, whatever they are. */
  async ask(path: string, options: PlatformRequestOptions = {}): Promise<{ status: number; json: unknown }> {
    const token = await this.#tokenFor(options.token ?? 'login');
    const answer = await this.#send(path, options, token);
    const where = `${options.method ?? 'GET'} ${path}`;
    const spoken = answer.status < 500 && answer.status !== 429 && answer.status !== 426;
    if (!spoken) throw statusError(where, answer, token);
    return { status: answer.status, json: parseAnswer(where, answer.text) };
  }

  async #tokenFor(token: Secret | 'login' | 'anonymous'): Promise<Secret | null> {
    if (token === 'anonymous') return null;
    const secret = token === 'login' ? (await this.logins.require()).token : token;
    if (hasControlCharacters(secret.reveal())) {
      throw new OsmosisError('CONFIG_INVALID', 'The token holds a control character, so that it cannot be sent.');
    }
    return secret;
  }

  async #send(path: string, options: PlatformRequestOptions, token: Secret | null): Promise<ExchangeAnswer> {
    const { method = 'GET', idempotent = method !== 'POST' && method !== 'PATCH' } = options;
    const { clock, requestTimeoutMs } = this.settings;
    const url = new URL(`${options.platformUrl ?? this.settings.platformUrl}${path}`);
    const dispatcher = await this.transport.dispatcherFor(url);
    const headers = {
      ...(token && { Authorization: `Bearer ${token.reveal()}` }),
      'Content-Type': 'application/json',
      Accept: 'application/json',
      'User-Agent': this.settings.userAgent,
      ...options.headers,
    };
    const body = options.body === undefined ? null : JSON.stringify(options.body);
    const startedAt = clock.monotonic();
    const limitMs = options.timeoutMs ?? requestTimeoutMs;
    const deadline = startedAt + limitMs;
    for (let attempt = 1; ; attempt += 1) {
      const timeoutMs = Math.max(1, Math.ceil(deadline - clock.monotonic()));
      const outcome = await exchange({
        dispatcher,
        method,
        url,
        headers,
        body,
        timeoutMs,
        limitMs,
        signal: options.signal,
      }).catch((error: unknown) => {
        if (error instanceof TransportError || error instanceof PeerTimeoutError) return error;
        throw error;
      });
      const delayMs = retryDelayMs(outcome, attempt, clock.now());
      const worthIt = idempotent && attempt < ATTEMPTS && delayMs !== null && clock.monotonic() + delayMs < deadline;
      if (!worthIt) {
        if (outcome instanceof Error) throw outcome;
        this.settings.log.debug(
          `${method} ${path}: ${outcome.status} in ${Math.round(clock.monotonic() - startedAt)} ms`,
        );
        return outcome;
      }
      this.settings.log.debug(`${method} ${path}: attempt ${attempt} failed, next in ${Math.round(delayMs)} ms`);
      await pause(clock, delayMs, options.signal);
    }
  }
}

/** Null when another try would not help. */
function retryDelayMs(outcome: ExchangeAnswer | Error, attempt: number, nowMs: number): number | null {
  if (outcome instanceof Error)
    return OsmosisError.is(outcome) && outcome.retryable ? backoffDelayMs(BACKOFF, attempt) : null;
  if (outcome.status !== 408 && outcome.status !== 425 && outcome.status !== 429 && outcome.status < 500) return null;
  return backoffDelayMs(BACKOFF, attempt, parseRetryAfterMs(outcome.retryAfter, nowMs));
}

function statusError(where: string, answer: ExchangeAnswer, token: Secret | null): PeerStatusError {
  const said = excerpt(answer.text, token);
  const cure =
    answer.status === 426
      ? ' Upgrade this program.'
      : answer.status >= 300 && answer.status < 400
        ? ' It redirects elsewhere; is OSMOSIS_PLATFORM_URL right?'
        : '';
  return new PeerStatusError(
    `The platform answered ${where} with HTTP ${answer.status}.${said && ` It said: ${said}`}${cure}`,
    { status: answer.status },
  );
}

function parseAnswer(where: string, text: string): unknown {
  if (text.trim() === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    throw new ProtocolError(
      `The platform's answer to ${where} is no JSON. Is OSMOSIS_PLATFORM_URL the address of an Osmosis platform?`,
    );
  }
}
