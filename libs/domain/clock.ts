import { ClockTimer } from './clock-timer.js';

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

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(delayMs, callback) {
    const delay = Math.max(0, delayMs);
    const timer = new ClockTimer(performance.now() + delay, callback);
    timer.start(delay);
    return () => timer.stop();
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
