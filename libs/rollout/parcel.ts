import type { TrainerAddress, TrainerMessage } from '#domain';

/** A message on its way to its trainer. */
export interface Parcel {
  readonly rolloutId: string;
  /** What it tells: the sealed outcome, or before it, where the dialect wants to know, that the agent has ended. */
  readonly part: 'announcement' | 'outcome';
  readonly address: TrainerAddress;
  readonly message: TrainerMessage;
  /** Since when its delivery is tried: when it was written, or when a dead letter was sent again. */
  readonly since: number;
  /** Attempts before that, which the limits do not count. */
  attemptsBefore: number;
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
  message: TrainerMessage,
  since: number,
  attemptsBefore = 0,
  part: Parcel['part'] = 'outcome',
): Parcel {
  return {
    rolloutId,
    part,
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
