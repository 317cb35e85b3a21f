import { LinkedList, type Cancellation } from '#domain';

/** Limits how many rollouts run at once. First come, first served. */
export class RolloutSlots {
  #free: number;
  readonly #waiting = new LinkedList<() => void>();

  constructor(readonly capacity: number) {
    this.#free = capacity;
  }

  get waitingCount(): number {
    return this.#waiting.size;
  }

  get freeCount(): number {
    return this.#free;
  }

  get runningCount(): number {
    return this.capacity - this.#free;
  }

  /** Takes a slot without waiting, when one is free. */
  tryAcquire(): boolean {
    if (this.#free < 1) return false;
    this.#free--;
    return true;
  }

  /** Waits for a slot. Rejects with the reason, holding none, when cancelled meanwhile. */
  acquire(cancellation: Cancellation): Promise<void> {
    return new Promise((resolve, reject) => {
      const place = this.#waiting.add(() => {
        listening.leave();
        resolve();
      });
      const listening = cancellation.onCancel((reason) => {
        place.leave();
        reject(reason);
      });
    });
  }

  /** Gives the slot to whoever has waited longest. */
  release(): void {
    const take = this.#waiting.shift();
    if (take) take();
    else this.#free++;
  }
}
