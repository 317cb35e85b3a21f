import { writeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isBuiltin, type InitializeHook, type LoadHook, type ResolveHook } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ResolverFactory } from 'oxc-resolver';
import { readCompilerOptions, type CompilerOptions } from './tsconfig.js';
import { compile } from './typescript.compiler.js';

/** What the hooks are told when they are registered. */
export interface TypeScriptHooksData {
  /** The `tsconfig.json` that applies. */
  readonly tsconfig: string;
  /** URL of this package's folder: its own imports are none of the compiler's business. */
  readonly ownRoot: string;
}

/** In a thread `process.stderr` has no descriptor. */
const STDERR = 2;

const TYPESCRIPT = /\.[mc]?tsx?$/;

let tsconfig = '';
let own = '';
let options: CompilerOptions = {};
let resolver: ResolverFactory | undefined;

/** Runs on Node's loader thread. */
export const initialize: InitializeHook<TypeScriptHooksData> = async (data) => {
  ({ tsconfig, ownRoot: own } = data);
  try {
    options = readCompilerOptions(tsconfig);
  } catch (error) {
    remark(`Read ${tsconfig} failed: ${error instanceof Error ? error.message : String(error)}`);
  }
};

/**
 * Past the console: what this thread says there is lost on Node 24 when the process ends soon. Not to stdout, which is for
 * results. Where nobody reads, or too slowly, there is no remark; the module is loaded all the same.
 */
function remark(text: string): void {
  try {
    writeSync(STDERR, `${text}\n`);
  } catch {
    // EPIPE, EAGAIN
  }
}

/**
 * Imports of the project's own files are resolved as its tsconfig says; those of installed packages as Node does.
 * TypeScript is compiled to ES modules, in projects without `"type": "module"` as well.
 */
export const resolve: ResolveHook = async (specifier, context, nextResolve) => {
  const { parentURL, importAttributes, conditions } = context;
  if (!TYPESCRIPT.test(specifier) && !isProjectFile(parentURL)) return nextResolve(specifier, context);
  if (isFileUrl(specifier) && TYPESCRIPT.test(specifier)) return typeScriptAt(specifier);
  const isAddress = isBuiltin(specifier) || /^[a-z]{2,}:/.test(specifier);
  if (isAddress || importAttributes?.['type'] || !isFileUrl(parentURL)) {
    return nextResolve(specifier, context);
  }
  const from = dirname(fileURLToPath(parentURL));
  const { path, error } = await (resolver ??= createResolver(conditions)).async(from, specifier);
  const url = path === undefined ? undefined : pathToFileURL(path).href;
  if (url !== undefined && !isInstalled(url)) {
    return TYPESCRIPT.test(url) ? typeScriptAt(url) : nextResolve(url, context);
  }
  try {
    return await nextResolve(specifier, context);
  } catch (thrown) {
    // A file of a package that `require` would find, without its extension.
    if (url !== undefined) return nextResolve(url, context);
    if (error === undefined) throw thrown;
    throw new Error(`${error}: ${specifier} cannot be resolved in ${parentURL}`, { cause: thrown });
  }
};

export const load: LoadHook = async (url, context, nextLoad) => {
  if (!isFileUrl(url) || !TYPESCRIPT.test(url) || isInstalled(url)) return nextLoad(url, context);
  const file = fileURLToPath(url);
  const source = await compile(await readFile(file, 'utf8'), file, options);
  return { format: formatOf(url), source, shortCircuit: true };
};

function typeScriptAt(url: string): ReturnType<ResolveHook> {
  return { url, format: formatOf(url), shortCircuit: true };
}

function formatOf(url: string): 'module' | 'commonjs' {
  return url.endsWith('.cts') ? 'commonjs' : 'module';
}

/** Sources come before what was compiled from them, and extensions may be left out. */
function createResolver(conditionNames: string[]): ResolverFactory {
  return new ResolverFactory({
    tsconfig: { configFile: tsconfig, references: 'auto' },
    conditionNames,
    extensions: ['.js', '.mjs', '.cjs', '.ts', '.tsx', '.mts', '.cts', '.json', '.node'],
    extensionAlias: { '.js': ['.ts', '.tsx', '.js'], '.mjs': ['.mts', '.mjs'], '.cjs': ['.cts', '.cjs'] },
  });
}

function isProjectFile(url: string | undefined): boolean {
  return isFileUrl(url) && !isInstalled(url) && !url.startsWith(own);
}

function isFileUrl(url: string | undefined): url is string {
  return url?.startsWith('file:') ?? false;
}

function isInstalled(url: string): boolean {
  return url.includes('/node_modules/');
}
