import type { IncomingMessage, ServerResponse } from 'node:http';

/** A request, read whole. */
export interface PlatformCall {
  readonly method: string;
  readonly url: URL;
  readonly authorization: string | undefined;
  readonly userAgent: string | undefined;
  readonly body: string;
}

/** What a route answers with. */
export interface PlatformReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

const LARGEST_BODY = 1_048_576;

export async function readCall(request: IncomingMessage): Promise<PlatformCall> {
  let body = '';
  request.setEncoding('utf8');
  for await (const chunk of request) {
    body += String(chunk);
    if (body.length > LARGEST_BODY) throw new RangeError('the request is too large');
  }
  return {
    method: request.method ?? 'GET',
    url: new URL(request.url ?? '/', 'http://platform'),
    authorization: request.headers.authorization,
    userAgent: request.headers['user-agent'],
    body,
  };
}

export function writeReply(response: ServerResponse, { status, headers, body }: PlatformReply): void {
  response.writeHead(status, headers);
  response.end(body);
}

export function json(status: number, value: unknown): PlatformReply {
  return { status, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(value) };
}

export function html(status: number, body: string): PlatformReply {
  return {
    status,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    },
    body,
  };
}

export function redirect(location: string): PlatformReply {
  return { status: 303, headers: { Location: location, 'Referrer-Policy': 'no-referrer' }, body: '' };
}

/** The body as a JSON object; an empty object when it is none. */
export function jsonBody({ body }: PlatformCall): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
  } catch {
    return {};
  }
}

export function formBody({ body }: PlatformCall): URLSearchParams {
  return new URLSearchParams(body);
}
