import { backoffDelayMs, sleep, type BackoffPolicy, type Cancellation, type Clock } from '#domain';

const POLICY: BackoffPolicy = { baseDelayMs: 1_000, maxDelayMs: 60_000 };

/**
 * Holds back every run when the provider says that calls come too fast. One run's rate limit is everybody's: if only the
 * run that met it waited, the others would go on and meet it too.
 */
export class RateBrake {
  #failures = 0;
  #heldUntil = 0;

  constructor(private readonly clock: Clock) {}

  /** @param retryAfterMs what the provider asked for */
  hold(retryAfterMs?: number): void {
    // Runs that were under way together meet the same limit; they are one failure.
    if (this.clock.monotonic() < this.#heldUntil) return;
    this.#failures++;
    this.#heldUntil = this.clock.monotonic() + backoffDelayMs(POLICY, this.#failures, retryAfterMs);
  }

  release(): void {
    this.#failures = 0;
  }

  /** Resolves when calls may go out again. Rejects with the reason when cancelled meanwhile. */
  async wait(cancellation: Cancellation): Promise<void> {
    for (;;) {
      cancellation.throwIfCancelled();
      const leftMs = this.#heldUntil - this.clock.monotonic();
      if (leftMs <= 0) return;
      await sleep(this.clock, leftMs, cancellation);
    }
  }
}
