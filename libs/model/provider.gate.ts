import type { Cancellation } from '#domain';

/** Lets only so many requests at once through to a provider. Whoever waits can be cancelled. */
export class ProviderGate {
  readonly #lanes = new Map<string, Lanes>();

  constructor(private readonly defaultConcurrency: number) {}

  /** @param concurrency of whoever asks first for this provider; the default where it is undefined */
  lanesTo(provider: string, concurrency: number | undefined): Lanes {
    let lanes = this.#lanes.get(provider);
    if (!lanes) this.#lanes.set(provider, (lanes = new Lanes(concurrency ?? this.defaultConcurrency)));
    return lanes;
  }
}

/**
 * A counting semaphore, first come first served. Libraries for it make an async resource a call, and take the task as a
 * function: an asynchronous one more for each call to the model.
 */
export class Lanes {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /** Takes a lane. False when none is free: then `wait` for one. */
  enter(): boolean {
    if (this.#free === 0) return false;
    this.#free--;
    return true;
  }

  /** Resolves with a lane. Rejects with the reason, without one, when cancelled before. */
  wait(cancellation: Cancellation): Promise<void> {
    return new Promise((resolve, reject) => {
      const proceed = (): void => {
        listening.leave();
        resolve();
      };
      this.#waiting.add(proceed);
      const listening = cancellation.onCancel((reason) => {
        this.#waiting.delete(proceed);
        reject(reason);
      });
    });
  }

  /** Hands the lane on to the one who has waited longest. */
  leave(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#free++;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
