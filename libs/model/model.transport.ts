import type { Cancellation, Clock } from '#domain';
import { DirectTransport } from './direct.transport.js';
import type { HttpConnections } from './http.connections.js';
import type { ResolvedModel } from './model.resolver.js';
import { OpenAiTransport } from './openai.transport.js';

/** Sends one request in OpenAI's dialect. Exactly one: a hidden second sample is paid for and never seen. */
export interface ModelTransport {
  /**
   * @param path `/chat/completions` or `/responses`
   * @returns the JSON object of the answer
   * @throws ProviderRequestError, or the cancellation's reason
   */
  post(path: string, body: object, cancellation: Cancellation): Promise<Record<string, unknown>>;
}

/**
 * Services go through the `openai` client, which is kept up with them. Servers at an address of the user's own (vLLM,
 * SGLang, a test's) are asked directly: they answer thousands of calls a second, of which the client takes 500 µs of CPU
 * each and the direct way 25, as much as a bare one.
 */
export function openTransport(model: ResolvedModel, connections: HttpConnections, clock: Clock): ModelTransport {
  return model.isService
    ? new OpenAiTransport(model, connections, clock)
    : new DirectTransport(model, connections, clock);
}
