/** What has been left out, in words for a warning. */
export interface JsonSafe {
  readonly value: unknown;
  /** Kinds of values that were dropped; empty when the very same value came back. */
  readonly dropped: ReadonlySet<string>;
}

/** Marks what has no JSON form. */
const DROPPED = Symbol('dropped');

/**
 * A value of user code as JSON that holds nothing unexpected (spec 0.3, 1.9.1): NaN, infinities and what has no plain JSON
 * form are dropped, keys and list elements with them; a BigInt becomes a number. Nothing is copied when nothing needs
 * mending.
 */
export function jsonSafe(value: unknown): JsonSafe {
  const dropped = new Set<string>();
  const safe = mend(value, dropped, new Set());
  return { value: safe === DROPPED ? undefined : safe, dropped };
}

function mend(value: unknown, dropped: Set<string>, parents: Set<object>): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) ? value : drop(dropped, String(value));
    case 'bigint':
      return mend(Number(value), dropped, parents);
    case 'object':
      return value === null ? null : mendObject(value, dropped, parents);
    default:
      return drop(dropped, typeof value);
  }
}

function mendObject(value: object, dropped: Set<string>, parents: Set<object>): unknown {
  if (value instanceof Number || value instanceof String || value instanceof Boolean) {
    return mend(value.valueOf(), dropped, parents);
  }
  if (parents.has(value)) return drop(dropped, 'a cycle');
  parents.add(value);
  try {
    if (Array.isArray(value)) return mendList(value, dropped, parents);
    if (value instanceof Map) return mendEntries(mapEntries(value, dropped), dropped, parents, null);
    if (!isPlain(value)) return drop(dropped, value.constructor?.name ?? 'object');
    return mendEntries(Object.entries(value), dropped, parents, value);
  } finally {
    parents.delete(value);
  }
}

/** Shrinks by what is dropped. */
function mendList(list: readonly unknown[], dropped: Set<string>, parents: Set<object>): readonly unknown[] {
  const mended = Array.from(list, (element) => mend(element, dropped, parents)).filter(
    (element) => element !== DROPPED,
  );
  const same = mended.length === list.length && mended.every((element, index) => Object.is(element, list[index]));
  return same ? list : mended;
}

/** @param same given back when nothing has changed */
function mendEntries(
  entries: readonly (readonly [string, unknown])[],
  dropped: Set<string>,
  parents: Set<object>,
  same: object | null,
): object {
  let changed = same === null;
  const mended: [string, unknown][] = [];
  for (const [key, field] of entries) {
    const safe = mend(field, dropped, parents);
    if (safe !== DROPPED) mended.push([key, safe]);
    changed ||= !Object.is(safe, field);
  }
  return changed || same === null ? Object.fromEntries(mended) : same;
}

/** Numbers as keys become text; other keys that are no text go, and their values with them. */
function mapEntries(map: ReadonlyMap<unknown, unknown>, dropped: Set<string>): [string, unknown][] {
  return [...map].flatMap(([key, field]): [string, unknown][] => {
    if (typeof key === 'string') return [[key, field]];
    if (typeof key === 'bigint' || (typeof key === 'number' && Number.isFinite(key))) return [[String(key), field]];
    drop(dropped, `a key of type ${typeof key}`);
    return [];
  });
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  // An object of another realm has another `Object.prototype`, above which there is nothing either.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function drop(dropped: Set<string>, kind: string): typeof DROPPED {
  dropped.add(kind);
  return DROPPED;
}
