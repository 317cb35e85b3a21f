import { describeThrown, PeerTimeoutError, ProtocolError, TransportError, type PeerError } from '#domain';
import { secondsText } from './error-text.js';
import { undici } from './undici.js';

export interface TransportLimits {
  readonly connectTimeoutMs: number;
  readonly maxResponseBytes: number;
}

const NOT_HTTP = 'NOT_HTTP';
/** Faults of what the peer sent, not of the connection. */
const UNREADABLE: ReadonlySet<string> = new Set([
  NOT_HTTP,
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
  'UND_ERR_HEADERS_OVERFLOW',
]);

const EXTRA_CA =
  'Verification is never switched off; name the issuing certificate (PEM) in NODE_EXTRA_CA_CERTS before the start.';

/** What to do, by the code of the cause. */
const HINTS: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'Nothing listens there: check the address, and that the trainer is up.'],
  ['ENOTFOUND', 'No such host name: check the address and the DNS.'],
  ['EAI_AGAIN', 'The name server did not answer: check the DNS.'],
  ['EHOSTUNREACH', 'There is no route: check the network.'],
  ['ENETUNREACH', 'There is no route: check the network.'],
  ['EMFILE', 'No file descriptor is left: raise the limit (ulimit -n).'],
  ['EPROTO', 'The peer may speak no TLS: check http or https.'],
  ['CERT_HAS_EXPIRED', "The trainer's certificate has expired: renew it."],
  ['ERR_TLS_CERT_ALTNAME_INVALID', "The trainer's certificate is for another host name."],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', EXTRA_CA],
  ['SELF_SIGNED_CERT_IN_CHAIN', EXTRA_CA],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', EXTRA_CA],
  ['UNABLE_TO_GET_ISSUER_CERT', EXTRA_CA],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', EXTRA_CA],
]);

/**
 * A fault of the connection as a typed error. The original is not kept as `cause`: a parser error carries bytes of the
 * answer, in which the peer may have echoed our key (case AU-05). Its code stands in `details.cause` and in the text.
 */
export function transportFault(label: string, error: unknown, limits: TransportLimits): PeerError {
  const code = codeOf(error);
  const details = { cause: code };
  if (code === 'UND_ERR_CONNECT_TIMEOUT') {
    const limit = `${secondsText(limits.connectTimeoutMs)} (limit connectTimeoutMs)`;
    return new PeerTimeoutError(`${label}: timeout, no connection within ${limit}.`, { details });
  }
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') {
    const limit = `${limits.maxResponseBytes} bytes (limit maxResponseBytes)`;
    return new ProtocolError(`${label}: the answer is larger than ${limit}.`, { retryable: false, details });
  }
  const hint = HINTS.get(code);
  const text = `${label} failed: ${reasonOf(error, code)}${hint ? `. ${hint}` : ''}`;
  if (UNREADABLE.has(code)) return new ProtocolError(text, { details });
  return new TransportError(text, { details, ...(code === 'UND_ERR_INVALID_ARG' ? { retryable: false } : {}) });
}

/** True when the connection broke under the call, as opposed to what the peer sent on it. */
export function isBrokenSocket(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE';
}

/** No `instanceof`: errors of Node's core may come from another realm. */
function codeOf(error: unknown): string {
  // Undici 7 forgets the code of its parser's errors.
  if (error instanceof undici().errors.HTTPParserError) return NOT_HTTP;
  const code: unknown = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : 'UNKNOWN';
}

/** When all addresses of a host name were tried, their errors come as one without a text of its own. */
function reasonOf(error: unknown, code: string): string {
  const all: unknown = typeof error === 'object' && error !== null && 'errors' in error ? error.errors : undefined;
  const texts = (Array.isArray(all) ? all : [error]).map(describeThrown);
  const text = [...new Set(texts)].join('; ');
  return text.includes(code) ? text : `${text} (${code})`;
}
