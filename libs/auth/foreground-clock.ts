import { systemClock, type Clock } from '#domain';

/**
 * The system's time, with timers that keep the process alive: at a terminal somebody waits for them. (The server's clock
 * lets the process end while a timer runs; a login that polls would then end silently.)
 */
export const foregroundClock: Clock = {
  ...systemClock,
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return { stop: () => clearTimeout(timer) };
  },
};
