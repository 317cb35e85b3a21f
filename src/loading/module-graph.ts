import type { DynamicModule, ForwardReference, Type } from '@nestjs/common';
import { MODULE_METADATA } from '@nestjs/common/constants.js';
import { AGENT_METADATA } from '#agent';

type ModuleReference = Type | DynamicModule | ForwardReference | Promise<DynamicModule>;

/** What a Nest module holds, its imports included, as its decorators tell before it is started. */
export interface ModuleGraph {
  readonly hasOsmosis: boolean;
  /** Classes with `@Agent` among the providers. */
  readonly agents: readonly Type[];
}

/** Walks the imports of a module. What factories provide is not seen: it does not exist yet. */
export async function readModuleGraph(root: Type | DynamicModule): Promise<ModuleGraph> {
  const agents = new Set<Type>();
  const seen = new Set<unknown>();
  let hasOsmosis = false;
  const visit = async (reference: ModuleReference): Promise<void> => {
    const module = await settle(reference);
    if (!module || seen.has(reference)) return;
    seen.add(reference);
    // By name and not by identity: the application may have its own copy of this package.
    if (module.type.name === 'OsmosisModule') hasOsmosis = true;
    for (const provider of module.providers) if (isAgentClass(provider)) agents.add(provider);
    for (const imported of module.imports) await visit(imported);
  };
  await visit(root);
  return { hasOsmosis, agents: [...agents] };
}

export function isAgentClass(value: unknown): value is Type {
  return typeof value === 'function' && Reflect.hasOwnMetadata(AGENT_METADATA, value);
}

export function isNestModule(value: unknown): value is Type | DynamicModule {
  if (typeof value === 'function') {
    return Object.values(MODULE_METADATA).some((key) => Reflect.hasOwnMetadata(key, value));
  }
  return typeof value === 'object' && value !== null && 'module' in value && typeof value.module === 'function';
}

interface SettledModule {
  readonly type: Type;
  readonly imports: readonly ModuleReference[];
  readonly providers: readonly unknown[];
}

async function settle(reference: ModuleReference): Promise<SettledModule | undefined> {
  const value = await reference;
  if (typeof value === 'function') return { type: value, ...ownMetadata(value) };
  if (typeof value !== 'object' || value === null) return undefined;
  if ('forwardRef' in value) return settle((value as ForwardReference<() => ModuleReference>).forwardRef());
  const declared = ownMetadata(value.module);
  return {
    type: value.module,
    imports: [...declared.imports, ...((value.imports ?? []) as ModuleReference[])],
    providers: [...declared.providers, ...(value.providers ?? []).map(classOf)],
  };
}

function ownMetadata(type: Type): Omit<SettledModule, 'type'> {
  const imports = (Reflect.getMetadata(MODULE_METADATA.IMPORTS, type) ?? []) as ModuleReference[];
  const providers = (Reflect.getMetadata(MODULE_METADATA.PROVIDERS, type) ?? []) as unknown[];
  return { imports, providers: providers.map(classOf) };
}

/** The class of a provider: itself, or what `useClass` says. */
function classOf(provider: unknown): unknown {
  return typeof provider === 'object' && provider !== null && 'useClass' in provider ? provider.useClass : provider;
}
