import { PeerStatusError, type Secret } from '#domain';
import { addressOf, excerptOf, postLabel } from './error-text.js';
import { headerOf, type HttpResponse } from './http-message.js';

const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Where a redirect leads, or null when the answer is none. 307 and 308 keep method and body and are followed within one
 * origin; the others would turn the POST into a GET, and another origin must not get our key (case NT-10).
 *
 * @param followed redirects that this call has followed so far
 * @throws PeerStatusError naming the Location, for a redirect that is not followed
 */
export function redirectTarget(url: URL, response: HttpResponse, followed: number, secret?: Secret | null): URL | null {
  if (!REDIRECTS.has(response.status)) return null;
  const location = headerOf(response, 'location');
  if (location === null) return null;
  const target = URL.canParse(location, url.href) ? new URL(location, url) : null;
  const obstacle = obstacleOf(url, response.status, target, followed);
  if (target && !obstacle) return target;
  const shown = excerptOf(target ? addressOf(target) : location, secret);
  throw new PeerStatusError(
    `${postLabel(url)} answered ${response.status} with Location '${shown}', which is not followed: ` +
      `${obstacle ?? 'it is no URL'}. Give the final address as the trainer's URL.`,
    { status: response.status, details: { status: response.status } },
  );
}

function obstacleOf(url: URL, status: number, target: URL | null, followed: number): string | null {
  if (status !== 307 && status !== 308) return 'only 307 and 308 keep a POST a POST';
  if (target && target.origin !== url.origin) return 'it is another origin';
  return followed >= MAX_REDIRECTS ? `${MAX_REDIRECTS} redirects were followed already` : null;
}
