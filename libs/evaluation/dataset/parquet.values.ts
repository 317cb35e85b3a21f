import { isUtf8 } from 'node:buffer';
import { parseJson } from './json.value.js';

/**
 * A Parquet value as a plain JSON value: integers beyond ±2^53−1 become their digits as text (as in JSON datasets), dates
 * ISO text, NaN and infinities null (pandas writes NaN for what is missing), typed arrays lists. Bytes
 * whose column is not declared as text are text where they are UTF-8 (old writers declare nothing), else base64.
 */
export function toJsonValue(value: unknown): unknown {
  switch (typeof value) {
    case 'undefined':
      return null;
    case 'bigint':
      return exactInteger(value);
    case 'number':
      return Number.isFinite(value) ? value : null;
    case 'object':
      return value === null ? null : objectValue(value);
    default:
      return value;
  }
}

function objectValue(value: object): unknown {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof Uint8Array) return bytesOf(value).toString(isUtf8(value) ? 'utf8' : 'base64');
  if (Array.isArray(value)) return value.map(toJsonValue);
  if (ArrayBuffer.isView(value)) return Array.from(value as unknown as ArrayLike<unknown>, toJsonValue);
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, toJsonValue(field)]));
}

function exactInteger(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value.toString();
}

/** Text of a Parquet file that is none; has no place yet. */
export class ParquetTextError extends Error {}

/** Replaces the library's lenient readers: nothing is turned into U+FFFD silently (case DS-17). */
export const STRICT_PARSERS = {
  stringFromBytes: (bytes: Uint8Array | undefined): string | undefined => bytes && strictText(bytes),
  jsonFromBytes: (bytes: Uint8Array | undefined): unknown => bytes && parseJson(strictText(bytes)),
};

function strictText(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw new ParquetTextError('a text value is not valid UTF-8');
  return bytesOf(bytes).toString('utf8');
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
