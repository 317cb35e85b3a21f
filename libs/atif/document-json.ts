import { pythonNumber, pythonString } from '#domain';
import type { AtifDocument } from './document.js';

const INDENT = '  ';

/**
 * A document as the text of its file (spec 0.3, 2.2): two blanks of indentation, ASCII only, lists of nothing but numbers
 * on one line, no line break at the end.
 *
 * @throws TypeError for a value that JSON has no form for
 */
export function documentText(document: AtifDocument): string {
  return textOf(document, '\n');
}

/** The same on one line. */
export function documentLine(document: AtifDocument): string {
  return textOf(document, null);
}

/** @param lineBreak with the indentation of what surrounds the value; null for one line */
function textOf(value: unknown, lineBreak: string | null): string {
  switch (typeof value) {
    case 'string':
      return literal(value);
    case 'boolean':
      return String(value);
    case 'number':
      if (Number.isFinite(value)) return pythonNumber(value);
      throw new TypeError(`${value} has no JSON form`);
    case 'object':
      return value === null ? 'null' : objectText(value, lineBreak);
    default:
      throw new TypeError(`a ${typeof value} has no JSON form`);
  }
}

function objectText(value: object, lineBreak: string | null): string {
  const inner = lineBreak === null ? null : lineBreak + INDENT;
  if (Array.isArray(value)) {
    if (value.every((item) => typeof item === 'number'))
      return `[${value.map((item) => textOf(item, null)).join(', ')}]`;
    return enclosed(
      '[]',
      value.map((item: unknown) => textOf(item, inner)),
      lineBreak,
    );
  }
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return enclosed(
    '{}',
    fields.map(([key, field]) => `${literal(key)}: ${textOf(field, inner)}`),
    lineBreak,
  );
}

function enclosed(brackets: '[]' | '{}', parts: readonly string[], lineBreak: string | null): string {
  const [open, close] = [brackets.slice(0, 1), brackets.slice(1)];
  if (parts.length === 0) return brackets;
  if (lineBreak === null) return `${open}${parts.join(', ')}${close}`;
  const inner = lineBreak + INDENT;
  return `${open}${inner}${parts.join(`,${inner}`)}${lineBreak}${close}`;
}

/** Half a surrogate pair is no character: strict readers would refuse the whole file. */
function literal(text: string): string {
  return pythonString(text.replace(/\p{Surrogate}/gu, '\ufffd'));
}
