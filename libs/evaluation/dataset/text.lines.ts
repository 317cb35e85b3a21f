import { DatasetError } from './dataset.error.js';

/** A row longer than this is no row; far below what a JavaScript string can hold. */
const LONGEST_LINE = 128 * 1024 * 1024;

export interface TextLine {
  /** Counts from 1, blank lines included. */
  readonly number: number;
  /** Without its line end. */
  readonly text: string;
}

/**
 * The lines that are not blank, as many at once as a chunk has ended. `\n` and `\r\n` end a line; the last one needs no
 * end (case DS-03).
 *
 * @throws DatasetError for a line that cannot be one
 */
export async function* linesOf(chunks: AsyncIterable<string>, path: string): AsyncGenerator<readonly TextLine[]> {
  let number = 0;
  // Parts of the line that has not ended yet, joined only when it has: a long line is not copied chunk by chunk.
  let parts: string[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    const lines: TextLine[] = [];
    let from = 0;
    for (let end = chunk.indexOf('\n'); end >= 0; end = chunk.indexOf('\n', from)) {
      const text = parts.length > 0 ? parts.join('') + chunk.slice(from, end) : chunk.slice(from, end);
      parts = [];
      length = 0;
      from = end + 1;
      number++;
      if (!isBlank(text)) lines.push({ number, text: withoutReturn(text) });
    }
    if (lines.length > 0) yield lines;
    if (from < chunk.length) parts.push(chunk.slice(from));
    length += chunk.length - from;
    if (length > LONGEST_LINE) {
      const message = `the line is longer than ${LONGEST_LINE} characters. Is this one JSON document? Then call it .json`;
      throw new DatasetError(path, { kind: 'syntax', message, place: { line: number + 1 } });
    }
  }
  const text = parts.join('');
  if (!isBlank(text)) yield [{ number: number + 1, text: withoutReturn(text) }];
}

function isBlank(text: string): boolean {
  return text.length < 1024 && text.trim() === '';
}

function withoutReturn(text: string): string {
  return text.endsWith('\r') ? text.slice(0, -1) : text;
}
