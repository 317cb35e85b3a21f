import { PeerStatusError, parseRetryAfterMs, type Clock, type Secret } from '#domain';
import { excerptOf, postLabel } from './error-text.js';
import { headerOf, type HttpResponse } from './http-message.js';

export function isSuccess(response: HttpResponse): boolean {
  return response.status >= 200 && response.status < 300;
}

/** How long the peer asks us to wait, in milliseconds (case NT-03). */
export function retryAfterOf(response: HttpResponse, clock: Clock): number | undefined {
  return parseRetryAfterMs(headerOf(response, 'retry-after'), clock.now());
}

/** The answer's content type for an error text. */
export function contentTypeOf(response: HttpResponse): string {
  return excerptOf(headerOf(response, 'content-type') ?? 'missing', null);
}

/** Status, content type and the first characters of the body (case NT-05). Retryable for 408, 425, 429 and 5xx. */
export function statusError(url: URL, response: HttpResponse, secret: Secret | null, clock: Clock): PeerStatusError {
  const { status } = response;
  const excerpt = excerptOf(response.body, secret);
  const body = excerpt === '' ? 'an empty body' : excerpt;
  return new PeerStatusError(
    `${postLabel(url)} answered ${status} (content-type ${contentTypeOf(response)}): ${body}`,
    { status, retryAfterMs: retryAfterOf(response, clock), details: { status } },
  );
}
