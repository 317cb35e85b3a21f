import { ContextIdFactory, type ContextId } from '@nestjs/core';
import type { ProviderDescriptor } from './provider.explorer.js';

/**
 * The injector's sub-tree of one rollout: request-scoped providers live as long as it does, and inject the rollout's
 * request as `REQUEST`. Costs nothing until a scoped provider is asked for.
 */
export class InvocationScope {
  #contextId: ContextId | null = null;
  #instances: Map<string, Promise<object>> | null = null;

  constructor(private readonly request: object) {}

  contextIdFor(provider: ProviderDescriptor): ContextId {
    if (!this.#contextId) {
      this.#contextId = ContextIdFactory.create();
      provider.moduleRef.registerRequestByContextId(this.request, this.#contextId);
    }
    return this.#contextId;
  }

  /** The rollout's own instance of a scoped provider, the same one each time. */
  resolve(provider: ProviderDescriptor): Promise<object> {
    const instances = (this.#instances ??= new Map<string, Promise<object>>());
    let instance = instances.get(provider.id);
    if (!instance) {
      const token = provider.token as Parameters<typeof provider.moduleRef.resolve>[0];
      instance = provider.moduleRef.resolve<object, object>(token, this.contextIdFor(provider), { strict: true });
      instances.set(provider.id, instance);
    }
    return instance;
  }
}
