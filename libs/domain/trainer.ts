import type { Cancellation } from './cancellation.js';
import type { ChatModel } from './chat-model.js';
import type { RolloutOutcome, RolloutRequest, TrainerAddress } from './rollout.js';
import type { TrajectoryReport } from './trajectory.js';

/** What a trainer is told, as it goes over the wire. Rendered once, so that every attempt carries the same bytes. */
export interface TrainerMessage {
  readonly url: string;
  readonly body: string;
}

/** One try at delivering a message. */
export interface DeliveryAttempt {
  /** The same for every attempt of one message. */
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
  /**
   * For dialects that tell the end of the run apart from its score: what the trainer is told before the rewards are asked.
   * It never has to be taken back: of the outcome only reward, rewards and the reason of their absence are still open, or
   * the rollout is cancelled, which nobody is told. Null when there is nothing to announce.
   */
  announce?(request: RolloutRequest, outcome: RolloutOutcome): TrainerMessage | null;
  /** The last message of a rollout; null when there is nothing to tell. */
  render(request: RolloutRequest, outcome: RolloutOutcome): TrainerMessage | null;
  /**
   * Resolves when the trainer has acknowledged, with what the acknowledgement reports of the trajectory, if anything.
   * Rejects with a `PeerError` that says whether another try may help.
   */
  deliver(address: TrainerAddress, message: TrainerMessage, attempt: DeliveryAttempt): Promise<TrajectoryReport | void>;
}
