import { createReadStream } from 'node:fs';
import { JsonSyntaxError, readJsonText } from '#domain';
import { RubricFileError } from '../config/file.problem.js';
import { reasonOf, requireFile } from '../config/text.file.js';

export interface JsonlRecord {
  /** Counts from 1, blank lines included. */
  readonly line: number;
  readonly value: Readonly<Record<string, unknown>>;
}

/**
 * The objects of a JSONL file, one at a time: the file is never whole in memory. Blank lines are skipped.
 *
 * @throws RubricFileError naming file, line and column of what cannot be read
 */
export async function* readJsonl(path: string): AsyncGenerator<JsonlRecord> {
  await requireFile(path);
  let line = 0;
  for await (const text of linesOf(path)) {
    line++;
    if (text.trim() !== '') yield { line, value: parseLine(text, line, path) };
  }
}

async function* linesOf(path: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let rest = '';
  let line = 1;
  try {
    for await (const chunk of createReadStream(path)) {
      const lines = (rest + decoder.decode(chunk as Buffer, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      line += lines.length;
      yield* lines;
    }
    yield rest + decoder.decode();
  } catch (error) {
    if (error instanceof RubricFileError) throw error;
    throw RubricFileError.at(
      path,
      isEncodingFault(error) ? 'is not UTF-8 text from about here' : reasonOf(error),
      line,
    );
  }
}

function isEncodingFault(error: unknown): boolean {
  return (
    typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_ENCODING_INVALID_ENCODED_DATA'
  );
}

function parseLine(text: string, line: number, path: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new RubricFileError(path, [{ line, ...jsonFault(text, error) }]);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  const found = Array.isArray(value) ? 'a list' : value === null ? 'null' : `a ${typeof value}`;
  throw RubricFileError.at(path, `each line must be a JSON object; this one is ${found}`, line);
}

/** `JSON.parse` does not always say where. */
function jsonFault(text: string, error: unknown): { column: number; message: string } {
  try {
    readJsonText(text);
  } catch (fault) {
    if (fault instanceof JsonSyntaxError) return { column: fault.offset + 1, message: `bad JSON: ${fault.reason}` };
  }
  return { column: 1, message: `bad JSON: ${reasonOf(error)}` };
}
