import type { ChatCall, ChatCompletion, ChatMessage, ChatModel } from '#domain';
import { ProviderRequestError } from '#model';

/** Knows how the last call to the model ended, also when the agent's loop swallows what went wrong. */
export class ObservedModel implements ChatModel {
  #fault: ProviderRequestError | null = null;

  constructor(private readonly model: ChatModel) {}

  /** What went wrong with the last call; null when it was answered. */
  get fault(): ProviderRequestError | null {
    return this.#fault;
  }

  async complete(messages: readonly ChatMessage[], call: ChatCall): Promise<ChatCompletion> {
    try {
      const completion = await this.model.complete(messages, call);
      this.#fault = null;
      return completion;
    } catch (error) {
      this.#fault = error instanceof ProviderRequestError ? error : null;
      throw error;
    }
  }
}
