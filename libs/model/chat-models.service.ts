import type { OnApplicationShutdown } from '@nestjs/common';
import { systemClock, type Clock } from '#domain';
import { HostedChatModel, type RetryPolicy } from './hosted.chat-model.js';
import { openConnections, type HttpConnections } from './http.connections.js';
import { ModelMemory } from './model.memory.js';
import { openTransport } from './model.transport.js';
import type { ModelModuleOptions } from './model.options.js';
import { ProviderGate } from './provider.gate.js';
import { ProviderRegistry } from './provider.registry.js';
import { resolveModel, type ModelSpec, type ResolvedModel } from './model.resolver.js';
import type { ProviderDefinition } from './provider.definition.js';

const DEFAULT_RETRY: RetryPolicy = { maxRetries: 3, baseDelayMs: 500, maxDelayMs: 20_000, maxRetryAfterMs: 60_000 };
const DEFAULT_CONCURRENCY = 8;

/**
 * Opens hosted and local models by name. One per application: it owns the connections and what was learned. A plain
 * class, so that programs without a Nest application can use it; `close` it there.
 */
export class ChatModels implements OnApplicationShutdown {
  readonly providers: ProviderRegistry;
  readonly #memory = new ModelMemory();
  readonly #gate: ProviderGate;
  readonly #retry: RetryPolicy;
  readonly #clock: Clock;
  #connections: HttpConnections | null = null;

  constructor(private readonly options: ModelModuleOptions = {}) {
    this.providers = new ProviderRegistry(options.providers);
    this.#gate = new ProviderGate(options.concurrency ?? DEFAULT_CONCURRENCY);
    this.#retry = { ...DEFAULT_RETRY, ...options.retry };
    this.#clock = options.clock ?? systemClock;
  }

  /** Adds a provider to the table. @throws ModelConfigError when its name is taken */
  registerProvider(definition: ProviderDefinition): void {
    this.providers.register(definition);
  }

  /** Everything `open` checks, without opening: name, address, key, time limit. Nothing is sent. */
  resolve(spec: ModelSpec): ResolvedModel {
    return resolveModel(spec, this.providers, this.options.env ?? {});
  }

  /** @throws ModelConfigError, MissingApiKeyError, UnknownProviderError, UnsupportedProviderError */
  open(spec: ModelSpec): HostedChatModel {
    const resolved = this.resolve(spec);
    this.#connections ??= openConnections(this.options.env ?? {});
    return new HostedChatModel(resolved, {
      transport: openTransport(resolved, this.#connections, this.#clock),
      lanes: this.#gate.lanesTo(resolved.provider, resolved.definition.concurrency),
      memory: this.#memory,
      retry: this.#retry,
      clock: this.#clock,
    });
  }

  onApplicationShutdown(): Promise<void> {
    return this.close();
  }

  /** Ends every connection. What is opened later has new ones. */
  async close(): Promise<void> {
    const connections = this.#connections;
    this.#connections = null;
    await connections?.close();
  }
}
