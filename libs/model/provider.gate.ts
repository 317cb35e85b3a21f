import type { Cancellation } from '#domain';

/** Lets only so many requests at once through to a provider. Whoever waits can be cancelled. */
export class ProviderGate {
  readonly #lanes = new Map<string, Lanes>();

  constructor(private readonly defaultConcurrency: number) {}

  /** @throws the cancellation's reason, for a request that was cancelled while it waited */
  async run<Result>(
    provider: string,
    concurrency: number | undefined,
    cancellation: Cancellation,
    task: () => Promise<Result>,
  ): Promise<Result> {
    let lanes = this.#lanes.get(provider);
    if (!lanes) this.#lanes.set(provider, (lanes = new Lanes(concurrency ?? this.defaultConcurrency)));
    if (!lanes.enter()) await lanes.wait(cancellation);
    try {
      cancellation.throwIfCancelled();
      return await task();
    } finally {
      lanes.leave();
    }
  }
}

/** A counting semaphore, first come first served. Libraries for it make an async resource a call. */
class Lanes {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

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
