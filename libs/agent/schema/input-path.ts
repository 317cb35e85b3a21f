const PLAIN_KEY = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u;
/** Keys are the model's, and may be as long as it likes. */
const LONGEST_KEY = 64;

/** `path` with one more step: `items` + 0 → `items[0]`, `items[0]` + `qty` → `items[0].qty`. */
export function joinPath(path: string, step: PropertyKey): string {
  if (typeof step === 'number') return `${path}[${step}]`;
  const key = clip(String(step));
  if (!PLAIN_KEY.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === '' ? key : `${path}.${key}`;
}

export function formatPath(steps: readonly PropertyKey[]): string {
  return steps.reduce<string>(joinPath, '');
}

/** A JSON pointer as a path. Needs the value it points into, to tell the item `0` from the key `0`. */
export function pathOfPointer(pointer: string, root: unknown): string {
  let at: unknown = root;
  const steps = pointer
    .split('/')
    .slice(1)
    .map((part) => {
      const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
      const step = Array.isArray(at) ? Number(key) : key;
      at = typeof at === 'object' && at !== null ? (at as Readonly<Record<PropertyKey, unknown>>)[step] : undefined;
      return step;
    });
  return formatPath(steps);
}

export function clip(text: string, longest = LONGEST_KEY): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
