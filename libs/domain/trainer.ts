import type { Cancellation } from './cancellation.js';
import type { ChatModel } from './chat-model.js';
import type { RolloutOutcome, RolloutRequest, TrainerAddress } from './rollout.js';

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
  /** Ends the attempt when the server stops. */
  readonly cancellation: Cancellation;
}

/** The engine's view of a trainer: one implementation a dialect. */
export interface Trainer {
  readonly dialect: string;
  /** The trainer's model, for one rollout. */
  openChat(request: RolloutRequest): ChatModel;
  renderCompletion(address: TrainerAddress, outcome: RolloutOutcome): CompletionMessage;
  /** Resolves when the trainer has acknowledged. Rejects with a `PeerError` that says whether another try may help. */
  deliver(address: TrainerAddress, message: CompletionMessage, attempt: DeliveryAttempt): Promise<void>;
}
