import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { describeThrown, ProtocolError } from '#domain';

const DECODERS: ReadonlyMap<string, (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>> = new Map([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
]);

/**
 * Undoes the content codings of a body. We ask for none, but some proxies compress all the same.
 *
 * @throws ProtocolError for an unknown coding, a broken stream, or more than `maxBytes`
 */
export async function decodeBody(label: string, body: Buffer, encoding: string, maxBytes: number): Promise<Buffer> {
  let decoded = body;
  for (const coding of codingsOf(encoding).reverse()) {
    const decode = DECODERS.get(coding);
    if (!decode) throw new ProtocolError(`${label}: the answer has the unknown content-encoding '${coding}'.`);
    decoded = await decode(decoded, { maxOutputLength: maxBytes }).catch((error: unknown) => {
      throw new ProtocolError(`${label}: the answer's ${coding} coding cannot be undone: ${describeThrown(error)}.`);
    });
  }
  return decoded;
}

function codingsOf(encoding: string): string[] {
  return encoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');
}
