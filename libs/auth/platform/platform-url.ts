import { OsmosisError } from '#domain';
import type { Environment } from '../credentials/config-location.js';

export const DEFAULT_PLATFORM_URL = 'https://platform.osmosis.ai';

const LOOPBACK = /^(localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i;

/**
 * The platform's base URL without a trailing slash: the given one, `OSMOSIS_PLATFORM_URL`, or the public platform.
 *
 * @throws OsmosisError `CONFIG_INVALID`
 */
export function resolvePlatformUrl(env: Environment, given?: string): string {
  const text = given?.trim() || env.OSMOSIS_PLATFORM_URL?.trim();
  if (!text) return DEFAULT_PLATFORM_URL;
  const url = parsePlatformUrl(text);
  if (url.protocol === 'http:' && !isLoopback(url) && env.OSMOSIS_ALLOW_INSECURE_PLATFORM_URL !== '1') {
    throw refuse(
      `${url.origin} is not https, so that anybody on the way could read your token`,
      'Use https, or set OSMOSIS_ALLOW_INSECURE_PLATFORM_URL=1 if you know the network',
    );
  }
  return withoutTrailingSlash(url);
}

/**
 * One spelling for one platform (spec 0.3, 5.3): a scheme is added (http for the loopback, else https), default ports and
 * trailing slashes are dropped. Null for a text that is no URL.
 */
export function normalizePlatformUrl(text: string): string | null {
  try {
    return withoutTrailingSlash(parsePlatformUrl(text));
  } catch {
    return null;
  }
}

export function isLoopback(url: URL): boolean {
  return LOOPBACK.test(url.hostname);
}

function parsePlatformUrl(text: string): URL {
  const url = tryUrl(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : withScheme(text));
  if (!url) throw refuse('it is no URL', 'Give a URL such as https://platform.example.com');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw refuse(`${url.protocol} is no scheme for it`, 'Use https');
  }
  if (url.username || url.password) throw refuse('it holds a user name or password', 'Leave them out');
  if (url.search || url.hash) throw refuse('it holds a query or a fragment', 'Leave it out');
  return url;
}

function withScheme(text: string): string {
  const url = tryUrl(`http://${text}`);
  return url && isLoopback(url) ? `http://${text}` : `https://${text}`;
}

function tryUrl(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}

function withoutTrailingSlash(url: URL): string {
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

function refuse(why: string, cure: string): OsmosisError {
  return new OsmosisError('CONFIG_INVALID', `The platform URL (OSMOSIS_PLATFORM_URL) cannot be used: ${why}. ${cure}.`);
}
