import type { CompletionMessage, TrainerAddress } from '#domain';

/** A sealed completion on its way to its trainer. */
export interface Parcel {
  readonly rolloutId: string;
  readonly address: TrainerAddress;
  readonly message: CompletionMessage;
  /** Since when its delivery is tried: when the outcome was sealed, or when a dead letter was sent again. */
  readonly since: number;
  /** Attempts before that, which the limits do not count. */
  readonly attemptsBefore: number;
  /** All attempts made so far, also by former processes. */
  attempts: number;
  lastError: string | null;
  /** Null while an attempt is under way, or none will follow. */
  nextAttemptAt: number | null;
  /** Given up: refused by the trainer, or not acknowledged within the horizon. */
  dead: boolean;
  /** The store has it, so that memory may let go of it when it is given up. */
  stored: boolean;
}

export function newParcel(
  rolloutId: string,
  address: TrainerAddress,
  message: CompletionMessage,
  since: number,
  attemptsBefore = 0,
): Parcel {
  return {
    rolloutId,
    address,
    message,
    since,
    attemptsBefore,
    attempts: attemptsBefore,
    lastError: null,
    nextAttemptAt: null,
    dead: false,
    stored: false,
  };
}
