import { isIP } from 'node:net';

const LEADING = /^[\u0000-\u0020]+/; // eslint-disable-line no-control-regex
const DROPPED = /[\t\r\n]/g;
const PARTS = /^(https?):(?:\/\/([^/?#]*))?/i;
const ASCII = /^[\u0000-\u007f]*$/; // eslint-disable-line no-control-regex

/** What is wrong with a `server_url`, or null. Takes what Python's `urlparse` takes (spec 1.2); the URL stays as sent. */
export function serverUrlProblem(url: string): string | null {
  const parts = PARTS.exec(url.replace(LEADING, '').replace(DROPPED, ''));
  if (!parts) return 'server_url must use http or https scheme';
  const authority = parts[2] ?? '';
  if (authority === '') return 'server_url must have a valid host';
  if (!hasValidBrackets(authority)) return 'Invalid IPv6 URL';
  return hidesDelimiter(authority) ? 'server_url has a host that changes under NFKC normalization' : null;
}

function hasValidBrackets(authority: string): boolean {
  const open = authority.indexOf('[');
  if (open < 0) return !authority.includes(']');
  const close = authority.indexOf(']', open);
  if (close < 0) return false;
  const host = authority.slice(open + 1, close);
  return isIP(host.replace(/%.*$/, '')) === 6 || /^v[0-9a-f]+\../i.test(host);
}

/** A character such as `℀` turns into `a/c` in the name system: the host would be another one than it looks. */
function hidesDelimiter(authority: string): boolean {
  if (ASCII.test(authority)) return false;
  const bare = authority.replace(/[@:#?]/g, '');
  const normal = bare.normalize('NFKC');
  return normal !== bare && /[/?#@:]/.test(normal);
}
