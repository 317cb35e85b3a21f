import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

export interface HttpCall {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly signal: AbortSignal;
}

export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
}

/**
 * One request and its whole answer, whatever the status. Redirects are not followed: a key goes where it was meant to.
 *
 * With Node's own client, because `fetch` alone takes longer to load than a quick command may take in all.
 */
export async function exchange(url: URL, { method, headers, body, signal }: HttpCall): Promise<HttpAnswer> {
  const { request } = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    request(url, { method, headers: { ...headers, ...length }, signal }, resolve)
      .on('error', reject)
      .end(body);
  });
  return { status: response.statusCode ?? 0, text: await text(response) };
}
