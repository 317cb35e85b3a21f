import { request } from 'node:http';

export interface PlainAnswer {
  readonly status: number;
  readonly text: string;
}

/** Posts exactly these bytes on a connection of its own. A null content type sends none. */
export function postBody(
  url: string,
  body: Buffer,
  contentType: string | null,
  authorization?: string,
): Promise<PlainAnswer> {
  return new Promise((resolve, reject) => {
    const headers = {
      'content-length': body.length,
      ...(contentType !== null && { 'content-type': contentType }),
      ...(authorization !== undefined && { authorization }),
    };
    const outgoing = request(url, { method: 'POST', agent: false, headers });
    outgoing.on('error', reject).on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('error', reject);
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
    });
    outgoing.end(body);
  });
}
