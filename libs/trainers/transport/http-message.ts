import type { Cancellation, Secret } from '#domain';

/** One POST to a trainer. */
export interface PostRequest {
  /** http or https. Credentials in it are neither sent nor shown. */
  readonly url: string | URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Must not change before the call has ended: a replay sends the same bytes. */
  readonly body: string | Buffer;
  /** From the first connection attempt to the last byte of the answer, replay and redirects included. */
  readonly timeoutMs: number;
  /** Where `timeoutMs` is set, for the error text (case NT-17). */
  readonly timeoutName: string;
  readonly cancellation?: Cancellation;
  /** Blotted out of every error text. */
  readonly secret?: Secret | null;
  /** Whether a reused socket that breaks before the answer begins is replayed, once (case NT-01). Default true. */
  readonly replay?: boolean;
}

/** Response headers, names in lower case. */
export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** A complete answer of any status but a redirect; the caller judges the status. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: Buffer;
}

/** The header's value, several joined as HTTP joins them; null when it is missing. */
export function headerOf(response: HttpResponse, name: string): string | null {
  const value = response.headers[name];
  return Array.isArray(value) ? value.join(', ') : (value ?? null);
}
