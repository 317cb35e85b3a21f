import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Secret, hasControlCharacters } from '#domain';
import { LoginError } from '../auth.error.js';
import type { CallbackPorts } from '../auth.settings.js';
import { deferred } from '../deferred.js';
import { PAGE_HEADERS, failurePage, strangerPage, successPage } from './callback.pages.js';
import { close, listenOnLoopback, type LoopbackServers } from './callback.ports.js';

/** What the browser brought back. */
export interface CallbackResult {
  readonly token: Secret;
  /** Earlier tokens of this machine that the platform revoked. */
  readonly revokedCount: number;
}

/** Null: the login succeeded; else why not, in words for the user. */
export type LoginFailure = string | null;

/** How long {@link CallbackServer.close} waits for the last page to reach the browser. */
const LAST_PAGE_MS = 1_000;
const LONGEST_REASON = 300;

/**
 * Waits on the loopback for the browser to come back from the platform (spec E.4, mended by H 20 and H 21).
 *
 * Only a request with the right state decides anything: whoever does not know it is answered and ignored, so no other
 * page or program on this machine can end the login. The browser is held until the outcome is known (case CL-09).
 */
export class CallbackServer {
  readonly #arrival = deferred<CallbackResult>();
  readonly #outcome = deferred<LoginFailure>();
  readonly #pages = new Set<Promise<void>>();
  #loopback: LoopbackServers | null = null;

  private constructor(private readonly state: string) {}

  /** @throws LoginError when no port is free */
  static async open(ports: CallbackPorts, state: string): Promise<CallbackServer> {
    const server = new CallbackServer(state);
    server.#loopback = await listenOnLoopback(ports, (request, response) => {
      const page = server.#answer(request, response).catch(() => void response.destroy());
      server.#pages.add(page);
      void page.finally(() => server.#pages.delete(page));
    });
    return server;
  }

  get port(): number {
    return this.#loopback?.port ?? 0;
  }

  /**
   * What the browser brought back.
   *
   * @throws LoginError when the user refused or the platform failed, or the signal's reason
   */
  wait(signal: AbortSignal): Promise<CallbackResult> {
    const onAbort = (): void => this.#arrival.reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    return this.#arrival.promise.finally(() => signal.removeEventListener('abort', onAbort));
  }

  /** Tells the waiting browser how the login ended. The first call counts. */
  conclude(failure: LoginFailure): void {
    this.#outcome.resolve(failure);
  }

  /** Releases a browser that still waits, lets the last page out, and frees the port. */
  async close(): Promise<void> {
    this.conclude('The login was ended in the terminal.');
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, LAST_PAGE_MS);
    });
    await Promise.race([Promise.all(this.#pages), patience]);
    clearTimeout(timer);
    await Promise.all((this.#loopback?.servers ?? []).map(close));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.resume();
    if (request.method !== 'GET') return send(response, 405, 'Only GET is served here.', { Allow: 'GET' });
    const url = new URL(request.url ?? '/', 'http://localhost');
    if (url.pathname === '/health') return send(response, 200, 'OK');
    if (url.pathname !== '/callback') return send(response, 404, 'Nothing is served here.');
    if (!isSame(url.searchParams.get('state') ?? '', this.state)) return sendPage(response, 400, strangerPage());
    this.#decide(url.searchParams);
    const failure = await this.#outcome.promise;
    return failure === null ? sendPage(response, 200, successPage()) : sendPage(response, 400, failurePage(failure));
  }

  /** The first decision stands; a reloaded page is shown the same outcome. */
  #decide(query: URLSearchParams): void {
    const error = query.get('error');
    if (error !== null) return this.#fail(query.get('error_description')?.trim() || error || 'unknown error');
    const token = Secret.from(query.get('token'));
    if (!token) return this.#fail('the platform sent no token');
    if (hasControlCharacters(token.reveal())) return this.#fail('the platform sent a token that cannot be used');
    this.#arrival.resolve({ token, revokedCount: countOf(query.get('revoked_count')) });
  }

  #fail(reason: string): void {
    const short = printable(reason).slice(0, LONGEST_REASON).replace(/\.$/, '');
    this.#arrival.reject(new LoginError(`Authentication failed: ${short}.`));
  }
}

/** The text comes from a URL and ends up in a terminal: no escape sequences. */
function printable(text: string): string {
  return [...text].filter((character) => !hasControlCharacters(character)).join('');
}

function countOf(text: string | null): number {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : 0;
}

/** In constant time, also for texts of different lengths. */
function isSame(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

function send(response: ServerResponse, status: number, text: string, headers = {}): Promise<void> {
  return end(response, status, text, {
    'Content-Type': 'text/plain; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    ...headers,
  });
}

function sendPage(response: ServerResponse, status: number, html: string): Promise<void> {
  return end(response, status, html, PAGE_HEADERS);
}

/** Resolves when the answer is out, or nobody is there any more to read it. */
function end(
  response: ServerResponse,
  status: number,
  body: string,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  return new Promise((resolve) => {
    response.once('close', resolve);
    response.writeHead(status, { ...headers, Connection: 'close' });
    response.end(body);
  });
}
