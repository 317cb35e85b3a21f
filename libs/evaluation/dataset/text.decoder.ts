import { isUtf8 } from 'node:buffer';
import { DatasetError } from './dataset.error.js';

/**
 * The text of a file, chunk by chunk, without its byte order mark: UTF-8, or UTF-16 when a mark says so (cases DS-01,
 * DS-17). Nothing is replaced silently.
 *
 * @throws DatasetError naming the byte where the text stops being text
 */
export async function* decodeText(bytes: AsyncIterable<Buffer>, path: string): AsyncGenerator<string> {
  const source = new ByteSource(bytes);
  const head = await source.peek(4);
  const encoding = encodingOf(head, path);
  if (encoding === 'utf-8') yield* decodeUtf8(source, head.subarray(0, 3).equals(UTF8_MARK) ? 3 : 0, path);
  else yield* decodeUtf16(source, encoding, path);
}

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be';

const UTF8_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

function encodingOf(head: Buffer, path: string): Encoding {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be';
  if (head.includes(0)) {
    const message = 'looks like UTF-16 without a byte order mark. Save it as UTF-8';
    throw new DatasetError(path, { kind: 'encoding', message });
  }
  return 'utf-8';
}

async function* decodeUtf8(source: ByteSource, skip: number, path: string): AsyncGenerator<string> {
  let offset = 0;
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of source) {
    const data = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    const end = data.length - brokenTail(data);
    const whole = data.subarray(0, end);
    if (!isUtf8(whole)) throw notUtf8(path, offset + firstFault(whole));
    rest = data.subarray(end);
    yield whole.toString('utf8', offset === 0 ? skip : 0);
    offset += end;
  }
  if (rest.length > 0) throw notUtf8(path, offset);
}

/** Bytes at the end that begin a character which goes on in the next chunk. */
function brokenTail(data: Buffer): number {
  for (let back = 1; back <= Math.min(3, data.length); back++) {
    const byte = data[data.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) > back ? back : 0;
  }
  return 0;
}

/** The longest sound beginning is found by halving: soundness of a beginning is monotone. */
function firstFault(data: Buffer): number {
  let [sound, broken] = [0, data.length];
  while (broken - sound > 1) {
    const middle = (sound + broken) >>> 1;
    const beginning = data.subarray(0, middle);
    if (isUtf8(beginning.subarray(0, middle - brokenTail(beginning)))) sound = middle;
    else broken = middle;
  }
  return sound - brokenTail(data.subarray(0, sound));
}

function notUtf8(path: string, offset: number): DatasetError {
  const message = `invalid UTF-8 at byte ${offset}. Save the file as UTF-8, or as UTF-16 with a byte order mark`;
  return new DatasetError(path, { kind: 'encoding', message });
}

async function* decodeUtf16(source: ByteSource, encoding: Encoding, path: string): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  let offset = 0;
  try {
    for await (const chunk of source) {
      yield decoder.decode(chunk, { stream: true });
      offset += chunk.length;
    }
    yield decoder.decode();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const message = `invalid ${encoding.toUpperCase()} after byte ${offset}. Save the file as UTF-8`;
    throw new DatasetError(path, { kind: 'encoding', message });
  }
}

/** Chunks, of which the first bytes can be looked at before they are taken. */
class ByteSource implements AsyncIterable<Buffer> {
  readonly #chunks: AsyncIterator<Buffer, unknown>;
  #seen: Buffer = Buffer.alloc(0);

  constructor(bytes: AsyncIterable<Buffer>) {
    this.#chunks = bytes[Symbol.asyncIterator]();
  }

  async peek(length: number): Promise<Buffer> {
    while (this.#seen.length < length) {
      const { done, value } = await this.#chunks.next();
      if (done) break;
      this.#seen = Buffer.concat([this.#seen, value]);
    }
    return this.#seen.subarray(0, length);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    try {
      if (this.#seen.length > 0) yield this.#seen;
      for (;;) {
        const { done, value } = await this.#chunks.next();
        if (done) return;
        yield value;
      }
    } finally {
      await this.#chunks.return?.();
    }
  }
}
