import { MAX_JSON_DEPTH } from '#domain';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * True when a JSON text nests deeper than {@link MAX_JSON_DEPTH}. `JSON.parse` takes any depth, but the first
 * `JSON.stringify` of such a value would overflow the stack (case LC-23). Most texts have too few brackets for it and
 * are not looked at one by one.
 */
export function isNestedTooDeep(text: string): boolean {
  if (text.length <= 2 * MAX_JSON_DEPTH) return false;
  if (countAtMost(text, '[', MAX_JSON_DEPTH) + countAtMost(text, '{', MAX_JSON_DEPTH) <= MAX_JSON_DEPTH) return false;
  return exceedsDepth(text);
}

function countAtMost(text: string, character: string, limit: number): number {
  let count = 0;
  for (let at = text.indexOf(character); at >= 0 && count <= limit; at = text.indexOf(character, at + 1)) count++;
  return count;
}

function exceedsDepth(text: string): boolean {
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    switch (text.charCodeAt(index)) {
      case QUOTE:
        index = endOfString(text, index);
        break;
      case 0x5b: // [
      case 0x7b: // {
        if (++depth > MAX_JSON_DEPTH) return true;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth--;
        break;
    }
  }
  return false;
}

/** Index of the closing quote of the string that opens at `start`; the text's end when there is none. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++;
  return backslashes % 2 === 1;
}
