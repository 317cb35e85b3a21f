import { existsSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join, relative, resolve } from 'node:path';
import { notFound } from './loading.error.js';

export const LOADABLE = ['.ts', '.mts', '.cts', '.js', '.mjs', '.cjs'] as const;

/** What a folder is entered by: a Nest module before an index, sources' output in `dist` after the folder itself. */
const ENTRIES = ['app.module', 'index', 'src/app.module', 'dist/app.module', 'dist/src/app.module', 'dist/index'];

/**
 * The file that a path means: a file with or without its extension, a folder's entry, or a package's.
 *
 * @throws OsmosisError USAGE saying what was looked for
 */
export function findModuleFile(path: string, cwd: string): string {
  const absolute = resolve(cwd, path);
  if (isFile(absolute)) return requireLoadable(absolute, path);
  if (existsSync(absolute)) return entryOfFolder(absolute, path);
  const completed = withExtension(absolute);
  if (completed) return completed;
  const installed = isPackageName(path) ? findPackage(path, cwd) : undefined;
  if (installed) return installed;
  throw notFound(`Cannot find '${path}'. ${cureFor(path, cwd)}`);
}

function requireLoadable(file: string, path: string): string {
  if ((LOADABLE as readonly string[]).includes(extname(file))) return file;
  const kind =
    file.endsWith('.tsx') || file.endsWith('.jsx') ? 'JSX is not supported' : 'it is no JavaScript or TypeScript';
  throw notFound(`Cannot load '${path}': ${kind}. Name a file that ends in ${LOADABLE.join(', ')}.`);
}

function entryOfFolder(folder: string, path: string): string {
  for (const entry of ENTRIES) {
    const file = withExtension(join(folder, entry));
    if (file) return file;
  }
  const main = mainOf(folder);
  if (main) return main;
  const tried = ENTRIES.map((entry) => `${entry}.js`).join(', ');
  throw notFound(
    `The folder '${path}' has nothing to load: neither a main file in a package.json nor ${tried} (or .ts). Name the file.`,
  );
}

function withExtension(path: string): string | undefined {
  return LOADABLE.map((extension) => path + extension).find(isFile);
}

/** A bare specifier, as one would import it. */
function isPackageName(path: string): boolean {
  return /^(@[\w.-]+\/)?[\w-][\w.-]*(\/[\w./-]+)?$/.test(path);
}

/** Resolved as the project itself would, from its own folder. */
function findPackage(name: string, cwd: string): string | undefined {
  try {
    return createRequire(join(cwd, 'package.json')).resolve(name);
  } catch {
    // A package for `import` alone: `require` does not see it.
    const folder = ancestors(cwd)
      .map((at) => join(at, 'node_modules', name))
      .find(existsSync);
    return folder && mainOf(folder);
  }
}

/** The main file that a folder's package.json names. */
function mainOf(folder: string): string | undefined {
  const file = join(folder, 'package.json');
  if (!isFile(file)) return undefined;
  let manifest: { readonly main?: unknown; readonly exports?: unknown };
  try {
    manifest = JSON.parse(readFileSync(file, 'utf8')) as typeof manifest;
  } catch {
    throw notFound(`Cannot read ${file}: it is no JSON. Mend it, or name the file to load.`);
  }
  const target = importTarget(manifest.exports) ?? manifest.main;
  if (typeof target !== 'string') return undefined;
  const main = join(folder, target);
  return isFile(main) ? main : withExtension(main);
}

/** What the root of `exports` gives to `import`. */
function importTarget(exports: unknown): string | undefined {
  if (typeof exports === 'string') return exports;
  if (typeof exports !== 'object' || exports === null) return undefined;
  for (const [condition, target] of Object.entries(exports)) {
    if (!['.', 'node', 'import', 'module-sync', 'default'].includes(condition)) continue;
    const found = importTarget(target);
    if (found !== undefined) return found;
  }
  return undefined;
}

function cureFor(path: string, cwd: string): string {
  const dotted = path.replaceAll('.', '/');
  const python = /^\w+(\.\w+)+$/.test(path) ? withExtension(resolve(cwd, dotted)) : undefined;
  if (python) return `Paths are file paths here: did you mean ${relative(cwd, python)}?`;
  return `There is no such file or folder in ${cwd}, and no package of that name is installed.`;
}

function ancestors(directory: string): string[] {
  const parent = dirname(directory);
  return parent === directory ? [directory] : [directory, ...ancestors(parent)];
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
