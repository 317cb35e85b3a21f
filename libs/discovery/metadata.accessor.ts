import 'reflect-metadata';
import type { Class } from './class.js';

/** A decorated method as a class has it, wherever in its ancestry the decorator stands. */
export interface DecoratedMethod<Metadata> {
  readonly methodName: string;
  readonly metadata: Metadata;
  /** Types of the parameters, as the compiler wrote them down; undefined when it wrote none. */
  readonly parameterTypes: readonly unknown[] | undefined;
  /** Number of parameters before the first one with a default. */
  readonly arity: number;
}

/**
 * The one place that reads and writes decorator metadata. Keys are plain strings with a prefix (`osmosis:agent`), so that
 * two installed copies of the package understand each other's decorators.
 */
export const MetadataAccessor = {
  defineOnClass<Metadata extends object>(key: string, metadata: Metadata, target: object): void {
    Reflect.defineMetadata(key, Object.freeze(metadata), target);
  },

  defineOnMethod<Metadata extends object>(
    key: string,
    metadata: Metadata,
    prototype: object,
    name: string | symbol,
  ): void {
    Reflect.defineMetadata(key, Object.freeze(metadata), prototype, name);
  },

  /** Own metadata only: a child class does not inherit what its parent is. */
  ofClass<Metadata>(key: string, type: Class): Metadata | undefined {
    return Reflect.getOwnMetadata(key, type) as Metadata | undefined;
  },

  /** Whether an ancestor of the class has the metadata, and the class itself has not. */
  isOnlyInherited(key: string, type: Class): boolean {
    return Reflect.hasMetadata(key, type) && !Reflect.hasOwnMetadata(key, type);
  },

  /**
   * Methods decorated with the key, in order of declaration, parents first. A method that a child overrides without the
   * decorator stays decorated, and the child's implementation is what runs (case NE-04).
   */
  methodsOf<Metadata>(key: string, type: Class): DecoratedMethod<Metadata>[] {
    const found = new Map<string, DecoratedMethod<Metadata>>();
    for (const prototype of ancestry(type)) {
      for (const methodName of Object.getOwnPropertyNames(prototype)) {
        const metadata = Reflect.getOwnMetadata(key, prototype, methodName) as Metadata | undefined;
        if (metadata === undefined) continue;
        const method: unknown = (type.prototype as Record<string, unknown>)[methodName];
        found.set(methodName, {
          methodName,
          metadata,
          parameterTypes: Reflect.getOwnMetadata('design:paramtypes', prototype, methodName) as unknown[] | undefined,
          arity: typeof method === 'function' ? method.length : 0,
        });
      }
    }
    return [...found.values()];
  },
};

/** Prototypes of the class, the root first. */
function ancestry(type: Class): object[] {
  const prototypes: object[] = [];
  let prototype: object | null = type.prototype as object;
  while (prototype && prototype !== Object.prototype) {
    prototypes.unshift(prototype);
    prototype = Object.getPrototypeOf(prototype) as object | null;
  }
  return prototypes;
}
