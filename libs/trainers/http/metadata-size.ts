import { pythonNumber, readJsonText } from '#domain';
import type { ParsedBody } from './body.js';
import type { JsonObject } from './field-checks.js';

/** One character of a body is at most this much longer in Python's JSON text: DEL is one byte there and `\u007f` here. */
const LARGEST_GROWTH = 6;
/** An integer literal that a JavaScript number cannot tell from a float is at most this long in Python. */
const LONGEST_INT = 4300;
const UNTELLABLE = 1e16;
const PLAIN = /^[\u0020\u0021\u0023-\u005b\u005d-\u007e]*$/;

/** Bytes of a JSON text as Python writes it by default, between what its numbers may take at least and at most. */
interface SizeRange {
  least: number;
  most: number;
}

/**
 * Whether the metadata of a request is larger than the limit: the byte length of Python's `json.dumps(metadata)`, with
 * `", "` and `": "` between the parts and everything outside ASCII as `\uXXXX` (spec 1.8). No text is built. Small bodies
 * are not even looked at; the exact source of numbers (`5` or `5.0`) is read only when it decides.
 */
export function exceedsMetadataLimit(metadata: JsonObject, body: ParsedBody, limit: number): boolean {
  if (body.byteLength * LARGEST_GROWTH <= limit) return false;
  if (Object.keys(metadata).length === 0) return false;
  const range = measure(metadata, estimateNumber);
  if (range.least > limit) return true;
  if (range.most <= limit) return false;
  return measure(withNumberSources(body.text), exactNumber).least > limit;
}

class NumberSource {
  constructor(readonly text: string) {}
}

function withNumberSources(text: string): unknown {
  const body = readJsonText(text, { nonFinite: true, number: (source) => new NumberSource(source) });
  return (body as { readonly metadata?: unknown }).metadata;
}

type LeafSize = (value: unknown) => SizeRange;

function estimateNumber(value: unknown): SizeRange {
  if (typeof value !== 'number') return { least: 0, most: 0 };
  const text = pythonNumber(value).length;
  if (!Number.isFinite(value)) return { least: 'NaN'.length, most: LONGEST_INT };
  if (!Number.isInteger(value)) return { least: text, most: text };
  if (Math.abs(value) >= UNTELLABLE) return { least: Math.min(text, 5), most: LONGEST_INT };
  return { least: Object.is(value, -0) ? 1 : text, most: text + 2 };
}

function exactNumber(value: unknown): SizeRange {
  const size = value instanceof NumberSource ? sourceSize(value.text) : nonFiniteSize(value);
  return { least: size, most: size };
}

function sourceSize(source: string): number {
  if (/^-?\d+$/.test(source)) return source === '-0' ? 1 : source.length;
  const value = Number(source);
  if (!Number.isFinite(value)) return nonFiniteSize(value);
  const text = pythonNumber(value);
  return /[.e]/.test(text) ? text.length : text.length + '.0'.length;
}

function nonFiniteSize(value: unknown): number {
  return Number.isNaN(value) ? 'NaN'.length : value === Infinity ? 'Infinity'.length : '-Infinity'.length;
}

function measure(value: unknown, numberSize: LeafSize): SizeRange {
  const total: SizeRange = { least: 0, most: 0 };
  const fixed = (bytes: number): void => {
    total.least += bytes;
    total.most += bytes;
  };
  const walk = (node: unknown): void => {
    if (typeof node === 'string') fixed(stringSize(node));
    else if (node === null || node === true) fixed(4);
    else if (node === false) fixed(5);
    else if (typeof node === 'number' || node instanceof NumberSource) {
      const { least, most } = numberSize(node);
      total.least += least;
      total.most += most;
    } else if (Array.isArray(node)) {
      fixed(2 + 2 * Math.max(0, node.length - 1));
      node.forEach(walk);
    } else if (typeof node === 'object') {
      const entries = Object.entries(node);
      fixed(2 + 2 * Math.max(0, entries.length - 1) + 2 * entries.length);
      for (const [key, field] of entries) {
        fixed(stringSize(key));
        walk(field);
      }
    }
  };
  walk(value);
  return total;
}

function stringSize(text: string): number {
  if (PLAIN.test(text)) return text.length + 2;
  let size = text.length + 2;
  for (let index = 0; index < text.length; index++) size += growth(text.charCodeAt(index));
  return size;
}

/** Bytes beyond the one that each UTF-16 unit counts anyhow. */
function growth(unit: number): number {
  if (unit === 0x22 || unit === 0x5c) return 1;
  if (unit >= 0x20 && unit < 0x7f) return 0;
  return unit >= 0x08 && unit <= 0x0d && unit !== 0x0b ? 1 : 5;
}
