import type { CompletionMessage, TrainerAddress } from '#domain';

/** A sealed completion on its way to its trainer. */
export interface Parcel {
  readonly rolloutId: string;
  readonly address: TrainerAddress;
  readonly message: CompletionMessage;
  readonly sealedAt: number;
  /** Attempts made so far, also by former processes. */
  attempts: number;
  lastError: string | null;
  /** Null while an attempt is under way, or none will follow. */
  nextAttemptAt: number | null;
  /** Given up: refused by the trainer, or not acknowledged within the horizon. */
  dead: boolean;
}

export function newParcel(
  rolloutId: string,
  address: TrainerAddress,
  message: CompletionMessage,
  sealedAt: number,
): Parcel {
  return { rolloutId, address, message, sealedAt, attempts: 0, lastError: null, nextAttemptAt: null, dead: false };
}
