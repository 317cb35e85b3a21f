import type { Clock } from '#domain';

export interface TurnBatchLimits {
  /** Items of one turn; the others wait for the next. */
  readonly most: number;
  /** Who has waited so long is not kept waiting, however long the turns take. Milliseconds. */
  readonly longestWaitMs: number;
  readonly clock: Clock;
}

/**
 * Does a piece of work for the items of one turn of the event loop together, at its end. The same code for many items in a
 * row runs on warm caches, and what the turn has to answer is answered first: of more items than are taken in one turn,
 * the rest comes after what has arrived meanwhile.
 */
export class TurnBatch<Item> {
  #items: Item[] = [];
  /** When each was added. */
  #times: number[] = [];

  constructor(
    private readonly work: (item: Item) => void,
    private readonly limits: TurnBatchLimits,
  ) {}

  add(item: Item): void {
    if (this.#items.length === 0) this.#schedule();
    this.#items.push(item);
    this.#times.push(this.limits.clock.monotonic());
  }

  #schedule(): void {
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    const count = this.#due;
    const items = this.#items.splice(0, count);
    this.#times.splice(0, count);
    if (this.#items.length > 0) this.#schedule();
    for (const item of items) this.work(item);
  }

  /** How many are taken in this turn. */
  get #due(): number {
    const { most, longestWaitMs, clock } = this.limits;
    const { length } = this.#items;
    let count = Math.min(length, most);
    const late = count < length ? clock.monotonic() - longestWaitMs : 0;
    while (count < length && (this.#times[count] as number) <= late) count++;
    return count;
  }
}
