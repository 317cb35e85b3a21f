/** The time, behind a port so that tests can let ten hours pass in a moment. All figures are milliseconds. */
export interface Clock {
  /** Wall time since the epoch. */
  now(): number;
  /** Never goes back; for durations. */
  monotonic(): number;
  /** Any delay, also above 2^31 ms. The timer does not keep the process alive. Returns how to stop it. */
  after(delayMs: number, callback: () => void): () => void;
}

/** Node's timers fire at once for a longer delay. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(delayMs, callback) {
    const due = performance.now() + delayMs;
    let timer: NodeJS.Timeout;
    const arm = (): void => {
      const left = Math.max(0, due - performance.now());
      timer = setTimeout(left > LONGEST_TIMER_MS ? arm : callback, Math.min(left, LONGEST_TIMER_MS));
      timer.unref();
    };
    arm();
    return () => clearTimeout(timer);
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
