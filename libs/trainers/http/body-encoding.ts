import { isUtf8 } from 'node:buffer';

type JsonEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'utf-32le' | 'utf-32be';

const BYTE_ORDER_MARKS: readonly (readonly [JsonEncoding, readonly number[]])[] = [
  ['utf-32be', [0x00, 0x00, 0xfe, 0xff]],
  ['utf-32le', [0xff, 0xfe, 0x00, 0x00]],
  ['utf-16be', [0xfe, 0xff]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-8', [0xef, 0xbb, 0xbf]],
];

/**
 * The text of a JSON body in UTF-8, UTF-16 or UTF-32, with or without a byte order mark. A JSON text starts with ASCII,
 * so that the zero bytes at its start tell the encoding (spec 1.7).
 *
 * @returns null when the bytes are not valid in their encoding
 */
export function decodeJsonBytes(raw: Buffer): string | null {
  const [first = 0, second = 0] = raw;
  const isPlain = raw.length < 2 || (first > 0 && first < 0xef && second > 0);
  if (isPlain) return isUtf8(raw) ? raw.toString('utf8') : null;
  const mark = BYTE_ORDER_MARKS.find(([, bytes]) => bytes.every((byte, index) => raw[index] === byte));
  if (mark) return decode(raw.subarray(mark[1].length), mark[0]);
  return decode(raw, guessByZeros(raw));
}

function guessByZeros(raw: Buffer): JsonEncoding {
  // No text of three bytes is in another encoding; its zeros are what is wrong with it.
  if (raw.length === 3) return 'utf-8';
  if (raw[0] === 0) return raw[1] === 0 && raw.length >= 4 ? 'utf-32be' : 'utf-16be';
  if (raw[1] !== 0) return 'utf-8';
  return raw.length >= 4 && raw[2] === 0 && raw[3] === 0 ? 'utf-32le' : 'utf-16le';
}

function decode(bytes: Buffer, encoding: JsonEncoding): string | null {
  switch (encoding) {
    case 'utf-8':
      return isUtf8(bytes) ? bytes.toString('utf8') : null;
    case 'utf-16le':
      return bytes.length % 2 === 0 ? bytes.toString('utf16le') : null;
    case 'utf-16be':
      return bytes.length % 2 === 0 ? Buffer.from(bytes).swap16().toString('utf16le') : null;
    case 'utf-32le':
      return decodeUtf32(bytes, (at) => bytes.readUInt32LE(at));
    case 'utf-32be':
      return decodeUtf32(bytes, (at) => bytes.readUInt32BE(at));
  }
}

function decodeUtf32(bytes: Buffer, codePointAt: (offset: number) => number): string | null {
  if (bytes.length % 4 !== 0) return null;
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += 4) {
    const codePoint = codePointAt(at);
    if (codePoint > 0x10ffff) return null;
    pieces.push(String.fromCodePoint(codePoint));
  }
  return pieces.join('');
}
