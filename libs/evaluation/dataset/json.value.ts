import { JsonSyntaxError, readJsonText } from '#domain';

/** May hold an integer that a double cannot: then the slower reader looks at each number. */
const LONG_DIGITS = /\d{16}/;

/**
 * JSON text as a value. Integers beyond ±2^53−1 become their digits as text, so that no id changes on the way.
 *
 * @throws JsonSyntaxError with the position, JsonDepthError
 */
export function parseJson(text: string): unknown {
  if (LONG_DIGITS.test(text)) return readJsonText(text, { number: exactNumber });
  try {
    return JSON.parse(text);
  } catch {
    return readJsonText(text);
  }
}

function exactNumber(source: string): number | string {
  const value = Number(source);
  return /^-?\d+$/.test(source) && !Number.isSafeInteger(value) ? source : value;
}

/**
 * A key that stands twice at the top of a JSON object, of which `JSON.parse` would drop the first (case DS-13).
 *
 * @param text the object's text, known to be sound
 */
export function duplicateKey(text: string, keys: readonly string[]): string | undefined {
  const suspects = keys.filter((key) => {
    const quoted = JSON.stringify(key);
    return text.indexOf(quoted, text.indexOf(quoted) + 1) > 0;
  });
  if (suspects.length === 0) return undefined;
  const seen = new Set<string>();
  return topLevelKeys(text).find((key) => seen.size === seen.add(key).size);
}

const STRING = /"(?:[^"\\]|\\.)*"/y;

function topLevelKeys(text: string): string[] {
  const keys: string[] = [];
  let depth = 0;
  let expectsKey = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') {
      STRING.lastIndex = at;
      const literal = STRING.exec(text)?.[0] ?? '"';
      if (depth === 1 && expectsKey) keys.push(JSON.parse(literal) as string);
      expectsKey = false;
      at += literal.length - 1;
    } else if (character === '{' || character === '[') {
      depth++;
      expectsKey = depth === 1;
    } else if (character === '}' || character === ']') depth--;
    else if (character === ',' && depth === 1) expectsKey = true;
  }
  return keys;
}

/** Line and column, from 1, of a position in a text. */
export function placeInText(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  return { line, column: offset - before.lastIndexOf('\n') };
}

export function isSyntaxError(error: unknown): error is JsonSyntaxError {
  return error instanceof JsonSyntaxError;
}

/** What a JSON value is, for error texts. */
export function describeValue(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'string') return 'text';
  const shown = JSON.stringify(value);
  return `the ${typeof value} ${shown.length > 40 ? `${shown.slice(0, 40)}…` : shown}`;
}
