/** The time, behind a port so that tests can let ten hours pass in a moment. All figures are milliseconds. */
export interface Clock {
  /** Wall time since the epoch. */
  now(): number;
  /** Never goes back; for durations. */
  monotonic(): number;
  /**
   * Any delay, also above 2^31 ms. The timer does not keep the process alive. Returns how to stop it.
   *
   * A timer that could not fire in time because the event loop was blocked waits until what arrived meanwhile has been
   * read: an answer that is there already must not be taken for one that failed to come (case LC-13).
   */
  after(delayMs: number, callback: () => void): () => void;
}

/** Node's timers fire at once for a longer delay. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** A timer that fires so late finds the event loop blocked until just now. */
const LATE_MS = 50;
/** Enough for a few turns of the event loop. */
const CATCH_UP_MS = 10;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(delayMs, callback) {
    const delay = Math.max(0, delayMs);
    const due = performance.now() + delay;
    let stop: () => void;
    const wait = (ms: number, then: () => void): void => {
      const timer = setTimeout(then, ms).unref();
      stop = () => clearTimeout(timer);
    };
    const arm = (left: number): void => {
      if (left <= LONGEST_TIMER_MS) wait(left, fire);
      else wait(LONGEST_TIMER_MS, () => arm(due - performance.now()));
    };
    const fire = (): void => {
      if (performance.now() - due <= LATE_MS) return callback();
      // Timers come first in a turn of the loop, then the sockets, then immediates.
      const turn = setImmediate(() => wait(CATCH_UP_MS, callback));
      stop = () => clearImmediate(turn);
    };
    arm(delay);
    return () => stop();
  },
};

/** Resolves after the delay, or rejects with the reason when the signal-like cancellation comes first. */
export function sleep(
  clock: Clock,
  delayMs: number,
  cancellation?: { onCancel(listener: (reason: Error) => void): () => void },
): Promise<void> {
  return new Promise((resolve, reject) => {
    let release = (): void => {};
    const stop = clock.after(delayMs, () => {
      release();
      resolve();
    });
    if (cancellation) {
      release = cancellation.onCancel((reason) => {
        stop();
        reject(reason);
      });
    }
  });
}
