import { Cancellation } from '#domain';
import { ProviderRequestError, type ChatModels, type HostedChatModel, type ModelSpec } from '#model';
import type { EvaluationModel } from './evaluation.model.js';

/** A model of any provider of the model room, or behind any OpenAI-compatible address. */
export class HostedEvaluationModel implements EvaluationModel {
  readonly name: string;
  readonly identity: Readonly<Record<string, unknown>>;
  readonly #model: HostedChatModel;

  /** @throws ModelConfigError for a name, key or address that is no good */
  constructor(models: ChatModels, spec: ModelSpec) {
    this.name = spec.model;
    this.#model = models.open(spec);
    const { provider, model, baseUrl } = this.#model.resolved;
    this.identity = { provider, model, base_url: baseUrl };
  }

  /** One word, one token (spec F.3). Only what every call would meet counts: a rate limit is a sign of life. */
  async preflight(): Promise<void> {
    try {
      await this.#model.complete([{ role: 'user', content: 'hi' }], {
        params: { max_tokens: 1 },
        tools: [],
        cancellation: new Cancellation(),
      });
    } catch (error) {
      if (error instanceof ProviderRequestError && error.isSystemic) throw error;
    }
  }

  /** It keeps no conversation, so that one serves all rollouts. */
  open(): HostedChatModel {
    return this.#model;
  }
}
