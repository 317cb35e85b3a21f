import type { InitializeHook, LoadHook, ResolveHook } from 'node:module';

/** What `@swc-node/register` exports for Node's module hooks. */
interface SwcNodeHooks {
  readonly resolve: ResolveHook;
  readonly load: LoadHook;
}

/** What the hooks are told when they are registered. */
export interface TypeScriptHooksData {
  /** The `tsconfig.json` that applies. */
  readonly tsconfig: string;
  /** URL of this package's folder: its own imports are none of the compiler's business. */
  readonly ownRoot: string;
}

const TYPESCRIPT = /\.[mc]?tsx?$/;
let hooks: SwcNodeHooks | undefined;
let own = '';

/**
 * Runs on Node's loader thread. `@swc-node/register` reads its tsconfig when it is loaded, so it is told first; and
 * decorators with metadata are switched on whatever the tsconfig says, for without them no agent can be read.
 */
export const initialize: InitializeHook<TypeScriptHooksData> = async ({ tsconfig, ownRoot }) => {
  own = ownRoot;
  process.env['SWC_NODE_PROJECT'] = tsconfig;
  // stdout is for results: the compiler's remarks on a tsconfig are none.
  console.info = console.error;
  const { readDefaultTsConfig } = await import('@swc-node/register/read-default-tsconfig');
  // The compiler keeps one object a tsconfig, so what is set here holds for every file.
  const options = readDefaultTsConfig(tsconfig);
  options.experimentalDecorators = true;
  options.emitDecoratorMetadata = true;
  hooks = await import('@swc-node/register/esm');
};

/**
 * Imports of the project's own files are resolved as its tsconfig says; those of installed packages as Node does.
 * TypeScript is compiled to ES modules, in projects without `"type": "module"` as well.
 */
export const resolve: ResolveHook = async (specifier, context, nextResolve) => {
  if (!hooks || !(TYPESCRIPT.test(specifier) || isProjectFile(context.parentURL)))
    return nextResolve(specifier, context);
  const resolved = await hooks.resolve(specifier, context, nextResolve);
  return TYPESCRIPT.test(resolved.url) && !resolved.url.endsWith('.cts') ? { ...resolved, format: 'module' } : resolved;
};

export const load: LoadHook = (url, context, nextLoad) =>
  hooks && TYPESCRIPT.test(url) ? hooks.load(url, context, nextLoad) : nextLoad(url, context);

function isProjectFile(url: string | undefined): boolean {
  return url !== undefined && url.startsWith('file:') && !url.includes('/node_modules/') && !url.startsWith(own);
}
