/**
 * Does a piece of work for all items of one turn of the event loop together, at its end. The same code for many items in a
 * row runs on warm caches, and what the turn has to answer is answered first.
 */
export class TurnBatch<Item> {
  #items: Item[] = [];

  constructor(private readonly work: (item: Item) => void) {}

  add(item: Item): void {
    if (this.#items.length === 0) setImmediate(() => this.#flush());
    this.#items.push(item);
  }

  #flush(): void {
    const items = this.#items;
    this.#items = [];
    for (const item of items) this.work(item);
  }
}
