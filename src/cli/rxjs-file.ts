import { Module } from 'node:module';

/** The entries of rxjs, each with where the file that has everything keeps its exports; the main entry's are the file's. */
const ENTRIES = [
  ['rxjs', undefined],
  ['rxjs/operators', 'operators'],
  ['rxjs/ajax', 'ajax'],
  ['rxjs/fetch', 'fetch'],
  ['rxjs/testing', 'testing'],
  ['rxjs/webSocket', 'webSocket'],
] as const;

type Exports = Readonly<Record<string, unknown>>;

/**
 * Loads rxjs from the single file that its package has for browsers. Nest imports all of rxjs, which is 230 files and
 * takes ten times as long otherwise, more than Node's own start. Every entry is given its exports, so that one copy of
 * each class serves all, whoever imports what. Only `rxjs/internal/…`, which is nobody's to import, has classes of its own.
 *
 * @param require finds the rxjs that Nest imports
 */
export function loadRxjsFile(require: NodeJS.Require): void {
  const entries = ENTRIES.map(([name, key]) => ({ path: require.resolve(name), key }));
  // Whoever has loaded it in the usual way keeps those classes.
  if (entries.some(({ path }) => require.cache[path])) return;
  // No export of the package, but a part of it; where it is missing, the usual files are there.
  const all = require(require.resolve('rxjs/package.json').replace(/package\.json$/, FILE)) as Exports;
  for (const { path, key } of entries) {
    const exports = Object.defineProperty({ ...(key ? (all[key] as Exports) : all) }, '__esModule', { value: true });
    require.cache[path] = Object.assign(new Module(path), { filename: path, loaded: true, exports });
  }
}

const FILE = 'dist/bundles/rxjs.umd.js';
