import pLimit, { type LimitFunction } from 'p-limit';
import type { Cancellation } from '#domain';

/** Lets only so many requests at once through to a provider. Whoever waits can be cancelled. */
export class ProviderGate {
  readonly #limits = new Map<string, LimitFunction>();

  constructor(private readonly defaultConcurrency: number) {}

  async run<Result>(
    provider: string,
    concurrency: number | undefined,
    cancellation: Cancellation,
    task: () => Promise<Result>,
  ): Promise<Result> {
    let limit = this.#limits.get(provider);
    if (!limit) {
      limit = pLimit(concurrency ?? this.defaultConcurrency);
      this.#limits.set(provider, limit);
    }
    let release = (): void => {};
    const cancelled = new Promise<never>((_resolve, reject) => {
      release = cancellation.onCancel(reject);
    });
    const running = limit(async () => {
      cancellation.throwIfCancelled();
      return task();
    });
    try {
      return await Promise.race([running, cancelled]);
    } finally {
      release();
      // Whichever lost the race may still reject, and nobody waits for it any more.
      running.catch(() => {});
    }
  }
}
