/** How attempts are spaced. */
export interface BackoffPolicy {
  readonly baseDelayMs: number;
  readonly maxDelayMs: number;
}

/** A peer cannot park us for longer, whatever its Retry-After says. */
const LONGEST_RETRY_AFTER_MS = 3_600_000;

/**
 * Delay before the attempt after `failedAttempts` failures: between half and all of an exponentially growing ceiling, so
 * that a hundred rollouts do not come back in step, and never below the base delay. A peer's own wish (Retry-After) is
 * honoured up to an hour.
 *
 * @param failedAttempts 1 after the first failure: the delay is then between one and two base delays
 */
export function backoffDelayMs(
  policy: BackoffPolicy,
  failedAttempts: number,
  retryAfterMs?: number,
  random: () => number = Math.random,
): number {
  const { baseDelayMs, maxDelayMs } = policy;
  if (retryAfterMs !== undefined) return Math.max(Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS), baseDelayMs);
  const ceiling = Math.min(maxDelayMs, baseDelayMs * 2 ** Math.min(failedAttempts, 40));
  return Math.max(Math.min(baseDelayMs, maxDelayMs), ceiling * (0.5 + random() / 2));
}

/** The shapes of an HTTP date: `Date.parse` alone reads many things that are none ("soon 2" for one). */
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? .*\d\d:\d\d:\d\d/;
const TIME_ZONE = /(?:GMT|UTC|[-+]\d{4})$/;

/**
 * Milliseconds that a `Retry-After` header asks for: seconds, or an HTTP date. Undefined for anything else (case NT-03).
 */
export function parseRetryAfterMs(header: string | null | undefined, nowMs: number): number | undefined {
  const text = header?.trim();
  if (!text) return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  if (!HTTP_DATE.test(text)) return undefined;
  // The oldest of the three forms names no zone and means GMT; `Date.parse` would take it for local time.
  const at = Date.parse(TIME_ZONE.test(text) ? text : `${text} GMT`);
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}
