import { Module } from 'node:module';

/** What a package finds in the place of another one that it requires. */
export interface StandIn {
  /** The file that it would load. */
  readonly path: string;
  readonly exports: object;
}

/** Nothing at all: for a package that is required and not used. */
export function nothing(path: string): StandIn {
  return { path, exports: {} };
}

/** Each export is loaded when it is asked for: for a package of which little is used, or late. */
export function oneByOne(path: string, load: (name: string) => unknown): StandIn {
  return { path, exports: new Proxy({}, { get: (_, name) => (typeof name === 'string' ? load(name) : undefined) }) };
}

/** Loads a file while packages that it requires are stood in for. Whoever requires these later gets them whole. */
export function loadWith(standIns: readonly StandIn[], require: NodeJS.Require, file: string): void {
  const missing = standIns.filter(({ path }) => !require.cache[path]);
  for (const { path, exports } of missing) {
    require.cache[path] = Object.assign(new Module(path), { loaded: true, exports });
  }
  try {
    require(file);
  } finally {
    for (const { path } of missing) delete require.cache[path];
  }
}
