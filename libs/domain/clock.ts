import type { Listening } from './cancellation.js';
import { ClockTimer } from './clock-timer.js';

export interface Timer {
  /** May be called more than once, and too late. */
  stop(): void;
}

/** The time, behind a port so that tests can let ten hours pass in a moment. All figures are milliseconds. */
export interface Clock {
  /** Wall time since the epoch. */
  now(): number;
  /** Never goes back; for durations. */
  monotonic(): number;
  /**
   * Any delay, also above 2^31 ms. The timer does not keep the process alive.
   *
   * A timer that could not fire in time because the event loop was blocked waits until what arrived meanwhile has been
   * read: an answer that is there already must not be taken for one that failed to come (case LC-13).
   */
  after(delayMs: number, callback: () => void): Timer;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(delayMs, callback) {
    const delay = Math.max(0, delayMs);
    const timer = new ClockTimer(performance.now() + delay, callback);
    timer.start(delay);
    return timer;
  },
};

/** Resolves after the delay, or rejects with the reason when the signal-like cancellation comes first. */
export function sleep(
  clock: Clock,
  delayMs: number,
  cancellation?: { onCancel(listener: (reason: Error) => void): Listening },
): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(delayMs, () => {
      listening?.leave();
      resolve();
    });
    const listening = cancellation?.onCancel((reason) => {
      timer.stop();
      reject(reason);
    });
  });
}
