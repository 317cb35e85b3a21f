/**
 * Names of a function's parameters, from its source; types and defaults have no part in it. A parameter that is taken
 * apart (`{ a, b }`) has none and is undefined here. Undefined as a whole for functions without source (bound, native).
 */
export function parameterNames(fn: (...args: never[]) => unknown): (string | undefined)[] | undefined {
  const source = Function.prototype.toString.call(fn);
  if (/\{\s*\[native code\]\s*\}$/.test(source)) return undefined;
  const lone = /^\s*(?:async\s+)?([\p{ID_Start}$_][\p{ID_Continue}$]*)\s*=>/u.exec(source)?.[1];
  if (lone !== undefined) return [lone];
  return splitParameters(source, source.indexOf('(') + 1).map((text) => NAME.exec(text)?.[1]);
}

const NAME = /^(?:\s|\/\*[^]*?\*\/|\/\/.*\n)*([\p{ID_Start}$_][\p{ID_Continue}$]*)/u;
const OPENING = '([{';
const CLOSING = ')]}';

/** The text between the parentheses, split at its outer commas. Strings in defaults are passed over. */
function splitParameters(source: string, from: number): string[] {
  const parts: string[] = [];
  let start = from;
  let depth = 0;
  for (let at = from; at < source.length; at++) {
    const character = source[at] ?? '';
    if (`'"\``.includes(character)) at = endOfString(source, at);
    else if (OPENING.includes(character)) depth++;
    else if (CLOSING.includes(character) && depth-- === 0) {
      parts.push(source.slice(start, at));
      break;
    } else if (character === ',' && depth === 0) {
      parts.push(source.slice(start, at));
      start = at + 1;
    }
  }
  return parts.filter((part) => part.trim() !== '');
}

function endOfString(source: string, start: number): number {
  const quote = source[start];
  for (let at = start + 1; at < source.length; at++) {
    if (source[at] === '\\') at++;
    else if (source[at] === quote) return at;
  }
  return source.length;
}
