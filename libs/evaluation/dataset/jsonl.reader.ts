import { describeThrown } from '#domain';
import { DatasetError } from './dataset.error.js';
import type { RecordBatches } from './dataset.types.js';
import { describeValue, duplicateKey, isSyntaxError, parseJson } from './json.value.js';
import { linesOf, type TextLine } from './text.lines.js';

/** One JSON object a line. */
export async function* readJsonl(text: AsyncIterable<string>, path: string): RecordBatches {
  for await (const lines of linesOf(text, path)) {
    yield lines.map((line) => ({ line: line.number, read: () => parseLine(line, path) }));
  }
}

function parseLine({ number, text }: TextLine, path: string): Record<string, unknown> {
  const place = { line: number };
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    const column = isSyntaxError(error) ? error.offset + 1 : 1;
    const message = `bad JSON: ${isSyntaxError(error) ? error.reason : describeThrown(error)}`;
    throw new DatasetError(path, { kind: 'syntax', message, place: { line: number, column } });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const message = `Expected object, but the line is ${describeValue(value)}. Each line holds one row as a JSON object`;
    throw new DatasetError(path, { kind: 'shape', message, place });
  }
  const twice = duplicateKey(text, Object.keys(value));
  if (twice !== undefined) {
    const message = `the key ${JSON.stringify(twice)} stands twice in this row. Keep one`;
    throw new DatasetError(path, { kind: 'columns', message, place, field: twice });
  }
  return value as Record<string, unknown>;
}
