/**
 * Metadata as the judge reads it: JSON, two spaces, keys sorted at every level so that equal metadata give equal prompts.
 * What has no JSON form is shown as the text of each value (spec B.4).
 */
export function metadataText(metadata: Readonly<Record<string, unknown>>): string {
  try {
    return JSON.stringify(sorted(metadata, new Set()), null, 2);
  } catch {
    const texts = Object.entries(metadata).map(([key, value]) => [key, plainText(value)]);
    return JSON.stringify(sorted(Object.fromEntries(texts), new Set()), null, 2);
  }
}

function sorted(value: unknown, parents: Set<object>): unknown {
  if (typeof value === 'bigint') throw new TypeError('a bigint has no JSON form');
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return value;
  if (parents.has(value)) throw new TypeError('the value contains itself');
  parents.add(value);
  const result = Array.isArray(value)
    ? value.map((element) => sorted(element, parents))
    : Object.fromEntries(
        Object.entries(value)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([key, field]) => [key, sorted(field, parents)]),
      );
  parents.delete(value);
  return result;
}

/** Never `[object Object]` (case RJ-18). */
function plainText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  try {
    return JSON.stringify(value);
  } catch {
    return `(a ${value.constructor.name} that cannot be shown)`;
  }
}
