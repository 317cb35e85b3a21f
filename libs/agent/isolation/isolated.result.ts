/**
 * A copy of what a method returned that can be sent to the main thread. A class with a `toJSON` (a decimal, a URL) is
 * taken at its word here, because it arrives without its class; dates, maps, sets and binary data arrive as they are.
 *
 * @throws DataCloneError for what cannot be sent: functions, symbols, promises within the value
 */
export function sendable(value: unknown): unknown {
  return structuredClone(withoutToJson(value, new Map()));
}

function withoutToJson(value: unknown, seen: Map<object, unknown>): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (seen.has(value)) return seen.get(value);
  if ('toJSON' in value && typeof value.toJSON === 'function' && !ArrayBuffer.isView(value)) {
    return (value.toJSON as () => unknown)();
  }
  if (Array.isArray(value)) {
    const copy: unknown[] = [];
    seen.set(value, copy);
    for (const item of value) copy.push(withoutToJson(item, seen));
    return copy;
  }
  if (!isRecord(value)) return value;
  const copy: Record<string, unknown> = {};
  seen.set(value, copy);
  for (const [key, field] of Object.entries(value)) copy[key] = withoutToJson(field, seen);
  return copy;
}

/** Instances of classes count as their fields; what is built in is left to the structured clone. */
function isRecord(value: object): boolean {
  return Object.prototype.toString.call(value) === '[object Object]';
}
