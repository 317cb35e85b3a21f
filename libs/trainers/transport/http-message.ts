import { rawHeader, type Cancellation, type Secret } from '#domain';

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

/** A complete answer of any status but a redirect; the caller judges the status. */
export class HttpResponse {
  constructor(
    readonly status: number,
    /** Names and values in turns, as they came: few answers have a header that anybody asks for. */
    readonly rawHeaders: readonly Buffer[],
    readonly body: Buffer,
  ) {}

  withBody(body: Buffer): HttpResponse {
    return new HttpResponse(this.status, this.rawHeaders, body);
  }
}

/** The header's value, several joined as HTTP joins them; null when it is missing. @param name in lower case */
export function headerOf({ rawHeaders }: HttpResponse, name: string): string | null {
  return rawHeader(rawHeaders, name);
}
