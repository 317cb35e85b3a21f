import { ModelConfigError } from './model.error.js';

/** A whole path segment that names a version: `v1`, `v1beta`, `v2.1`. */
const VERSION_SEGMENT = /^v\d+(\.\d+)?((alpha|beta)\d*)?$/;
const CHAT_PATH = /\/(chat\/completions|responses)$/;

/**
 * A base URL to which `/chat/completions` can be added: no slash at the end, and exactly one version segment, which is
 * added when there is none (cases NT-07, NT-08). `/av1` is no version segment.
 *
 * @param basePath what to add when the path names no version
 * @throws ModelConfigError for anything but a plain http(s) URL; the message never shows a password
 */
export function normalizeBaseUrl(text: string, basePath = '/v1'): string {
  const url = parse(text.trim());
  if (url.username !== '' || url.password !== '') {
    throw new ModelConfigError('base_url holds a user name or password. Give the key with api_key_env instead.');
  }
  if (url.search !== '' || url.hash !== '') {
    throw new ModelConfigError(`base_url '${url.origin}${url.pathname}' has a query or fragment. Give the path only.`);
  }
  const path = url.pathname.replace(/\/+$/, '').replace(CHAT_PATH, '').replace(/\/+$/, '');
  const isVersioned = path.split('/').some((segment) => VERSION_SEGMENT.test(segment));
  return url.origin + path + (isVersioned ? '' : basePath);
}

function parse(text: string): URL {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new ModelConfigError('base_url is no URL. Expected something like http://127.0.0.1:8000/v1.');
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new ModelConfigError(`base_url must begin with http:// or https://, not ${url.protocol}//.`);
  }
  return url;
}
