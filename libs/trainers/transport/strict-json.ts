/**
 * JSON text that a strict RFC 8259 + UTF-8 reader takes (A-JSON of the cases): no lone surrogates, and NaN or Infinity
 * become null, as the reference server writes them (spec 0.2, 1.5).
 */

/** Where `JSON.stringify` writes a lone surrogate; a literal backslash before `ud…` is passed over as a pair. */
const LONE_SURROGATE = /\\(?:\\|ud[89a-f][0-9a-f]{2})/g;
const MAX_DEPTH = 990;

/** @throws TypeError or RangeError when the value has no JSON form: a cycle, a BigInt, nothing at all */
export function strictJson(value: unknown): string {
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined) throw new TypeError(`a ${typeof value} has no JSON form`);
  return wellFormed(text);
}

/**
 * The same for a text that must be sent whatever it holds: what has no JSON form becomes a string that says so, a BigInt
 * its digits.
 */
export function lenientJson(value: unknown): string {
  try {
    return strictJson(value);
  } catch {
    return strictJson(plain(value, []) ?? null);
  }
}

function wellFormed(json: string): string {
  if (!json.includes('\\ud')) return json;
  return json.replace(LONE_SURROGATE, (escape) => (escape === '\\\\' ? escape : '\ufffd'));
}

function plain(value: unknown, parents: readonly object[]): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (parents.includes(value)) return '[circular]';
  if (parents.length >= MAX_DEPTH) return '[nested too deep]';
  const within = [...parents, value];
  try {
    if ('toJSON' in value && typeof value.toJSON === 'function')
      return plain((value.toJSON as () => unknown)(), within);
    if (Array.isArray(value)) return value.map((element) => plain(element, within) ?? null);
    return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, plain(field, within)]));
  } catch {
    return '[unreadable]';
  }
}
