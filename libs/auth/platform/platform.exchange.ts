import type { Dispatcher } from 'undici';
import { PeerTimeoutError, ProtocolError, TransportError, describeThrown, type Secret } from '#domain';
import { systemCode } from '../credentials/private-file.js';

/** Far above any answer of the platform; a bound on what a broken peer can make us hold. */
const LARGEST_ANSWER_BYTES = 1_048_576;
const LONGEST_EXCERPT = 500;

export interface ExchangeRequest {
  readonly dispatcher: Dispatcher;
  readonly method: Dispatcher.HttpMethod;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** What is left for it, in milliseconds. */
  readonly timeoutMs: number;
  /** For all tries, which is what the user is told. */
  readonly limitMs: number;
  readonly signal?: AbortSignal;
}

export interface ExchangeAnswer {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly text: string;
}

/**
 * One request and its whole answer, whatever the status. Redirects are not followed: a token goes where it was meant to.
 *
 * @throws PeerTimeoutError, TransportError, ProtocolError (answer too long), or the signal's reason
 */
export async function exchange(call: ExchangeRequest): Promise<ExchangeAnswer> {
  const where = `${call.method} ${call.url.origin}${call.url.pathname}`;
  const timeout = AbortSignal.timeout(call.timeoutMs);
  const signal = call.signal ? AbortSignal.any([call.signal, timeout]) : timeout;
  // Loaded when first needed: a command that asks the platform nothing starts twice as fast without it.
  const { request } = await import('undici');
  try {
    const { statusCode, headers, body } = await request(call.url, {
      dispatcher: call.dispatcher,
      method: call.method,
      headers: call.headers,
      body: call.body,
      signal,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const retryAfter = headers['retry-after'];
    return {
      status: statusCode,
      retryAfter: typeof retryAfter === 'string' ? retryAfter : null,
      text: await readText(body, where),
    };
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    if (call.signal?.aborted) throw call.signal.reason;
    if (timeout.aborted) {
      throw new PeerTimeoutError(
        `The platform did not answer ${where} within ${call.limitMs / 1000} s. Check the network and try again.`,
      );
    }
    throw new TransportError(
      `Cannot reach the platform (${where}): ${connectionFault(error)}. Check the network, the proxy and OSMOSIS_PLATFORM_URL.`,
      { cause: error },
    );
  }
}

async function readText(body: AsyncIterable<Uint8Array>, where: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > LARGEST_ANSWER_BYTES) {
      throw new ProtocolError(`The platform's answer to ${where} is longer than ${LARGEST_ANSWER_BYTES} bytes.`, {
        retryable: false,
      });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** A host with several addresses fails with an error that has no message of its own. */
function connectionFault(error: unknown): string {
  const text = describeThrown(error);
  return text.includes(' without a message') ? (systemCode(error) ?? 'the connection failed') : text;
}

/** Part of an answer for an error text: at most 500 characters (spec E.5), and the token taken out should it be echoed. */
export function excerpt(text: string, token: Secret | null): string {
  const harmless = token ? text.replaceAll(token.reveal(), String(token)) : text;
  const line = harmless.replace(/\s+/g, ' ').trim();
  return line.length > LONGEST_EXCERPT ? `${line.slice(0, LONGEST_EXCERPT)}...(truncated)` : line;
}
