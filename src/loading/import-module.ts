import { existsSync } from 'node:fs';
import { register } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { describeThrown } from '#domain';
import { packageInfo } from '../cli/package-info.js';
import { notUsable } from './loading.error.js';
import { isNestModule } from './module-graph.js';
import { threadArgumentsOf } from './thread-arguments.js';
import type { TypeScriptHooksData } from './typescript.hooks.js';

export type ModuleExports = Readonly<Record<string, unknown>>;

/**
 * Imports a module of the user's. TypeScript is compiled on the way, with the nearest tsconfig.json.
 *
 * @throws OsmosisError DEFINITION_INVALID saying why the module cannot be imported
 */
export async function importModule(file: string): Promise<ModuleExports> {
  if (/\.[mc]?ts$/.test(extname(file))) compileTypeScript(file);
  let namespace: ModuleExports;
  try {
    namespace = (await import(pathToFileURL(file).href)) as ModuleExports;
  } catch (thrown) {
    throw notUsable(reasonFor(file, thrown), { cause: thrown });
  }
  return exportsOf(namespace);
}

let hooks: TypeScriptHooksData | null = null;

/**
 * What Node's worker threads must be started with so that they can load what was loaded here: hooks of this thread are
 * not theirs. Undefined when nothing was compiled.
 */
export function threadArguments(): readonly string[] | undefined {
  if (!hooks) return undefined;
  const url = new URL('./typescript.hooks.js', import.meta.url).href;
  const code = `import{register}from'node:module';register(${JSON.stringify(url)},{data:${JSON.stringify(hooks)}});`;
  return [...threadArgumentsOf(process.execArgv), '--import', `data:text/javascript,${encodeURIComponent(code)}`];
}

/** Once a process: the tsconfig of the first file serves for all. */
function compileTypeScript(file: string): void {
  if (hooks) return;
  process.setSourceMapsEnabled(true);
  const ownRoot = pathToFileURL(join(packageInfo().root, '/')).href;
  hooks = { tsconfig: findTsconfig(dirname(file)), ownRoot };
  register('./typescript.hooks.js', import.meta.url, { data: hooks });
}

function findTsconfig(directory: string): string {
  for (let at = directory; ; at = dirname(at)) {
    const tsconfig = join(at, 'tsconfig.json');
    if (existsSync(tsconfig)) return tsconfig;
    if (dirname(at) === at) return join(packageInfo().root, 'src/loading/tsconfig.default.json');
  }
}

/** A CommonJS module's exports are under `default`, with or without names beside it. */
function exportsOf(namespace: ModuleExports): ModuleExports {
  const inner = namespace['default'];
  if (typeof inner !== 'object' || inner === null || isNestModule(inner)) return namespace;
  return { ...(inner as ModuleExports), ...namespace };
}

function reasonFor(file: string, thrown: unknown): string {
  const { code, name } = thrown instanceof Error ? (thrown as NodeJS.ErrnoException) : { code: undefined, name: '' };
  const text = firstLine(describeThrown(thrown));
  if (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND' || /cannot be resolved in/.test(text)) {
    return `Cannot load ${file}: it imports something that is missing. ${text}. Install it, or mend the path.`;
  }
  const missingExport = /does not provide an export named '(.+)'/.exec(text)?.[1];
  if (missingExport !== undefined) {
    return `Cannot load ${file}: ${text}. If ${missingExport} is a type, import it with 'import { type ${missingExport} }'.`;
  }
  if (name === 'SyntaxError' || /Syntax Error|Expected|x Unexpected/.test(text) || code === 'GenericFailure') {
    return `Cannot load ${file}: syntax error. ${syntaxText(thrown)}`;
  }
  return `Cannot load ${file}: running it threw ${name || 'an error'}: ${text}. --debug shows where.`;
}

/** The compiler's message has a picture of the place; its lines carry no colours for us. */
function syntaxText(thrown: unknown): string {
  return stripVTControlCharacters(describeThrown(thrown)).trim();
}

function firstLine(text: string): string {
  return (text.split('\n')[0] ?? text).replace(/\.$/, '');
}
