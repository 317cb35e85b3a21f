import type { Clock, Timer } from '#domain';

interface PendingTimer {
  readonly due: number;
  readonly callback: () => void;
}

/** A clock that a test moves: hours pass in a moment. */
export class FakeClock implements Clock {
  #elapsed = 0;
  readonly #timers = new Set<PendingTimer>();

  constructor(private readonly start = Date.UTC(2026, 0, 1)) {}

  /** Timers that wait. */
  get timerCount(): number {
    return this.#timers.size;
  }

  now(): number {
    return this.start + this.#elapsed;
  }

  monotonic(): number {
    return this.#elapsed;
  }

  after(delayMs: number, callback: () => void): Timer {
    const timer = { due: this.#elapsed + Math.max(0, delayMs), callback };
    this.#timers.add(timer);
    return { stop: () => void this.#timers.delete(timer) };
  }

  /** Lets the time pass. Calls what becomes due, the earliest first; what that starts goes on afterwards. */
  advance(ms: number): void {
    const end = this.#elapsed + ms;
    for (let next = this.#next(end); next; next = this.#next(end)) {
      this.#timers.delete(next);
      this.#elapsed = Math.max(this.#elapsed, next.due);
      next.callback();
    }
    this.#elapsed = end;
  }

  #next(end: number): PendingTimer | undefined {
    let next: PendingTimer | undefined;
    for (const timer of this.#timers) if (timer.due <= end && (!next || timer.due < next.due)) next = timer;
    return next;
  }
}
