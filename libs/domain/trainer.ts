import type { ChatModel } from './chat-model.js';
import type { RolloutOutcome, RolloutRequest } from './rollout.js';

/** A completion as it goes over the wire. Rendered once, so that every attempt carries the same bytes. */
export interface CompletionMessage {
  readonly url: string;
  readonly body: string;
}

/** One try at delivering a completion. */
export interface DeliveryAttempt {
  /** The same for every attempt of one completion. */
  readonly idempotencyKey: string;
  /** 1 for the first. */
  readonly number: number;
}

/** The engine's view of a trainer: one implementation a dialect. */
export interface Trainer {
  readonly dialect: string;
  /** The trainer's model, for one rollout. */
  openChat(request: RolloutRequest): ChatModel;
  renderCompletion(request: RolloutRequest, outcome: RolloutOutcome): CompletionMessage;
  /** Resolves when the trainer has acknowledged. Rejects with a `PeerError` that says whether another try may help. */
  deliver(request: RolloutRequest, message: CompletionMessage, attempt: DeliveryAttempt): Promise<void>;
}
