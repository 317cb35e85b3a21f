/** Any class, also an abstract one. */
export type Class<Instance extends object = object> = abstract new (...args: never[]) => Instance;

export function isClass(value: unknown): value is Class {
  return typeof value === 'function' && typeof value.prototype === 'object';
}
