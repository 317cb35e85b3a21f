/** Milliseconds. Node's timers fire at once for a longer delay. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** A timer that fires so late finds the event loop blocked until just now. */
const LATE_MS = 50;
/** Enough for a few turns of the event loop. */
const CATCH_UP_MS = 10;

/** Timers between these wait in the list; Node's own timer is for the rest of their time. */
const LISTED_FROM_MS = 10_000;
const LISTED_TO_MS = 3_600_000;
const TICK_MS = 1_000;

/**
 * One timer of the system's clock. Time limits of rollouts and calls are long and nearly always stopped: they only take a
 * place in a list that is looked through once a second. A rollout has six.
 */
export class ClockTimer {
  /** Neighbours in the list; itself when it is in none. */
  private left: ClockTimer = this;
  private right: ClockTimer = this;
  private timer: NodeJS.Timeout | null = null;
  private turn: NodeJS.Immediate | null = null;

  constructor(
    private readonly due: number,
    private readonly callback: () => void,
  ) {}

  start(delayMs: number): void {
    if (delayMs < LISTED_FROM_MS || delayMs > LISTED_TO_MS) return this.wait(delayMs);
    const last = LISTED.left;
    last.right = LISTED.left = this;
    this.left = last;
    this.right = LISTED;
    if (last === LISTED) tick();
  }

  stop(): void {
    if (this.right !== this) this.leave();
    if (this.timer) clearTimeout(this.timer);
    if (this.turn) clearImmediate(this.turn);
  }

  /** Looks through the list for those whose time has nearly come. */
  static look(): void {
    const soon = performance.now() + TICK_MS;
    for (let timer = LISTED.right, next = timer.right; timer !== LISTED; timer = next, next = timer.right) {
      if (timer.due > soon) continue;
      timer.leave();
      timer.wait(timer.due - performance.now());
    }
    if (LISTED.right !== LISTED) tick();
  }

  private leave(): void {
    this.left.right = this.right;
    this.right.left = this.left;
    this.left = this.right = this;
    if (LISTED.right !== LISTED) return;
    clearTimeout(ticking);
  }

  private wait(ms: number): void {
    this.timer =
      ms <= LONGEST_TIMER_MS
        ? setTimeout(fire, ms, this).unref()
        : setTimeout(waitAgain, LONGEST_TIMER_MS, this).unref();
  }

  waitAgain(): void {
    this.wait(this.due - performance.now());
  }

  fire(): void {
    if (performance.now() - this.due <= LATE_MS) return this.callback();
    // Timers come first in a turn of the loop, then the sockets, then immediates.
    this.turn = setImmediate(() => (this.timer = setTimeout(this.callback, CATCH_UP_MS).unref()));
  }
}

/** Both ends of the list. */
const LISTED = new ClockTimer(Infinity, () => {});
let ticking: NodeJS.Timeout | undefined;

function tick(): void {
  ticking = setTimeout(ClockTimer.look, TICK_MS).unref();
}

function fire(timer: ClockTimer): void {
  timer.fire();
}

function waitAgain(timer: ClockTimer): void {
  timer.waitAgain();
}
