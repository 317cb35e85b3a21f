import { Injectable } from '@nestjs/common';
import { ModuleRef, ModulesContainer, type DiscoveryService } from '@nestjs/core';
import { isClass, type Class } from './class.js';

type InstanceWrapper = ReturnType<DiscoveryService['getProviders']>[number];
type NestModule = Parameters<ModulesContainer['set']>[1];

/** A provider or controller of the application, by the class that carries its decorators. */
export interface ProviderDescriptor {
  readonly type: Class;
  /** Name of the Nest module that provides it. */
  readonly module: string;
  /** What Nest knows it by, for the injector. */
  readonly token: string | symbol | Class;
  /** Nest's own id of it. */
  readonly id: string;
  /** The only instance; null when each rollout gets its own (request-scoped, transient, or depending on such). */
  readonly instance: object | null;
  /** Resolves within the module that provides it, so that equal tokens of two modules never swap (case NE-14). */
  readonly moduleRef: ModuleRef;
}

/** Finds every provider of the application once, whichever way it is provided (case NE-09). Knows no decorator. */
@Injectable()
export class ProviderExplorer {
  constructor(private readonly modules: ModulesContainer) {}

  /** Grows when a module is loaded lazily. */
  get moduleCount(): number {
    return this.modules.size;
  }

  explore(): ProviderDescriptor[] {
    const found = new Map<Class, ProviderDescriptor>();
    for (const module of this.modules.values()) {
      for (const wrapper of [...module.providers.values(), ...module.controllers.values()]) {
        const descriptor = describe(module, wrapper);
        if (!descriptor) continue;
        const known = found.get(descriptor.type);
        if (!known || (known.token !== known.type && descriptor.token === descriptor.type)) {
          found.set(descriptor.type, descriptor);
        }
      }
    }
    return [...found.values()];
  }
}

function describe(module: NestModule, wrapper: InstanceWrapper): ProviderDescriptor | undefined {
  if (wrapper.isAlias || wrapper.token === ModuleRef) return undefined;
  const isStatic = wrapper.isDependencyTreeStatic() && !wrapper.isTransient;
  const instance: unknown = isStatic ? wrapper.instance : null;
  const type: unknown = wrapper.isNotMetatype ? constructorOf(instance) : wrapper.metatype;
  const moduleRef: unknown = module.providers.get(ModuleRef)?.instance;
  if (!isClass(type) || !(moduleRef instanceof ModuleRef)) return undefined;
  return {
    type,
    module: module.name,
    token: wrapper.token as ProviderDescriptor['token'],
    id: wrapper.id,
    instance: typeof instance === 'object' ? instance : null,
    moduleRef,
  };
}

/** The class of what a factory or a value provider gave. */
function constructorOf(instance: unknown): unknown {
  if (typeof instance !== 'object' || instance === null) return undefined;
  const type: unknown = instance.constructor;
  return type === Object ? undefined : type;
}
