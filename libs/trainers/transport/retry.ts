import {
  backoffDelayMs,
  OsmosisError,
  PeerError,
  sleep,
  type BackoffPolicy,
  type Cancellation,
  type Clock,
} from '#domain';

export interface RetryOptions {
  /** Attempts after the first. */
  readonly maxRetries: number;
  readonly backoff: BackoffPolicy;
  readonly clock: Clock;
  /** Its reason ends the wait and is never retried, whatever it says of itself. */
  readonly cancellation?: Cancellation;
  /** Called before each wait. @param failedAttempts 1 after the first failure */
  readonly onRetry?: (error: OsmosisError, delayMs: number, failedAttempts: number) => void;
}

/**
 * Repeats an attempt while it fails with a retryable error. A peer's Retry-After takes the place of the backoff. The
 * last error is thrown as it is.
 */
export async function withRetries<Result>(
  attempt: (number: number) => Promise<Result>,
  options: RetryOptions,
): Promise<Result> {
  const { maxRetries, backoff, clock, cancellation, onRetry } = options;
  for (let number = 1; ; number++) {
    try {
      return await attempt(number);
    } catch (error) {
      if (number > maxRetries || cancellation?.reason || !OsmosisError.is(error) || !error.retryable) throw error;
      const wish = error instanceof PeerError ? error.retryAfterMs : undefined;
      const delayMs = backoffDelayMs(backoff, number, wish);
      onRetry?.(error, delayMs, number);
      await sleep(clock, delayMs, cancellation);
    }
  }
}
