import { describeThrown } from '#domain';
import { DatasetError } from './dataset.error.js';
import type { RecordBatches } from './dataset.types.js';
import { describeValue, isSyntaxError, parseJson, placeInText } from './json.value.js';

/** A JSON document is parsed whole, and must fit a string with room to spare (case DS-10). */
const LARGEST_DOCUMENT = 256 * 1024 * 1024;

/** Rows that are handed on together. */
const BATCH = 1_000;

/** A JSON list of objects. For large datasets use JSONL: this format has to be in memory at once. */
export async function* readJson(text: AsyncIterable<string>, path: string): RecordBatches {
  const rows = parseDocument(await wholeText(text, path), path);
  for (let from = 0; from < rows.length; from += BATCH) {
    const batch = rows.slice(from, from + BATCH);
    yield batch.map((row, place) => ({ line: undefined, read: () => requireObject(row, from + place, path) }));
  }
}

async function wholeText(chunks: AsyncIterable<string>, path: string): Promise<string> {
  const parts: string[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    parts.push(chunk);
    length += chunk.length;
    if (length <= LARGEST_DOCUMENT) continue;
    const message =
      `a JSON document may have ${LARGEST_DOCUMENT} characters at most. ` +
      'Turn it into JSONL, which is read row by row: jq -c ".[]" data.json > data.jsonl';
    throw new DatasetError(path, { kind: 'file', message });
  }
  return parts.join('');
}

function parseDocument(text: string, path: string): readonly unknown[] {
  let document: unknown;
  try {
    document = parseJson(text);
  } catch (error) {
    if (!isSyntaxError(error)) throw new DatasetError(path, { kind: 'syntax', message: describeThrown(error) });
    const hint = looksLikeJsonl(text, error.offset) ? '. This looks like JSONL: call it .jsonl' : '';
    const place = placeInText(text, error.offset);
    throw new DatasetError(path, { kind: 'syntax', message: `bad JSON: ${error.reason}${hint}`, place });
  }
  if (Array.isArray(document)) return document;
  throw new DatasetError(path, { kind: 'shape', message: `a list of objects is needed, not ${shapeOf(document)}` });
}

/** One whole document, and then another one on the next line. */
function looksLikeJsonl(text: string, offset: number): boolean {
  return text[offset] === '{' && /\}\s*\n\s*$/.test(text.slice(Math.max(0, offset - 100), offset));
}

function shapeOf(document: unknown): string {
  if (typeof document !== 'object' || document === null) return describeValue(document);
  const list = Object.entries(document).find(([, value]) => Array.isArray(value))?.[0];
  const keys = Object.keys(document).slice(0, 5).join(', ') || 'none';
  const cure = list === undefined ? 'Put it in a list: [{…}]' : `Take the list out: jq .${list} file.json`;
  return `one object (keys: ${keys}). ${cure}`;
}

function requireObject(row: unknown, index: number, path: string): Record<string, unknown> {
  if (typeof row === 'object' && row !== null && !Array.isArray(row)) return row as Record<string, unknown>;
  const message = `Expected object, but the row is ${describeValue(row)}`;
  throw new DatasetError(path, { kind: 'shape', message, place: { row: index } });
}
