import { TextMemo, TransportError } from '#domain';
import { excerptOf } from './error-text.js';

const known = new TextMemo(readHttpUrl);

/**
 * An http or https URL without credentials. Shared by all who ask: not to be changed.
 *
 * @throws TransportError, not retryable: the address will not get better
 */
export function parseHttpUrl(text: string): URL {
  return known.get(text);
}

function readHttpUrl(text: string): URL {
  const url = parse(text);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    const shown = excerptOf(withoutCredentials(text), null);
    throw new TransportError(`'${shown}' is no address to post to: an http or https URL is needed.`, {
      retryable: false,
    });
  }
  if (url.username !== '' || url.password !== '') {
    url.username = '';
    url.password = '';
  }
  return url;
}

function parse(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

/** The same address without `user:password@`, whether or not it is a valid URL. */
export function withoutCredentials(url: string): string {
  return url.replace(/^([^/?#]*\/\/)[^/?#]*@/, '$1');
}
