/** An item's place in a {@link LinkedList}. */
export class ListPlace<Item> {
  /** The list it is in; null when it has left. */
  list: LinkedList<Item> | null;
  before: ListPlace<Item> | null;
  after: ListPlace<Item> | null = null;

  constructor(
    list: LinkedList<Item>,
    before: ListPlace<Item> | null,
    readonly item: Item,
  ) {
    this.list = list;
    this.before = before;
  }

  /** @returns false when it has left before */
  leave(): boolean {
    if (!this.list) return false;
    this.list.remove(this);
    return true;
  }
}

/**
 * Items that come and go all the time, in the order of their coming.
 *
 * Not a Set, for two reasons. A Set of V8 that is added to and deleted from moves to a new table again and again, and the
 * old table points to the new one: once one of them has reached the old generation, the collector takes all that follow
 * for alive, with everything that was in them. And its first item is found by passing over all that were deleted.
 */
export class LinkedList<Item> implements Iterable<Item> {
  #size = 0;
  #first: ListPlace<Item> | null = null;
  #last: ListPlace<Item> | null = null;

  get size(): number {
    return this.#size;
  }

  /** Who has come first of those who are here. */
  get first(): Item | undefined {
    return this.#first?.item;
  }

  add(item: Item): ListPlace<Item> {
    const place = new ListPlace(this, this.#last, item);
    if (this.#last) this.#last.after = place;
    else this.#first = place;
    this.#last = place;
    this.#size++;
    return place;
  }

  /** Takes out who has come first. */
  shift(): Item | undefined {
    const place = this.#first;
    if (place) this.remove(place);
    return place?.item;
  }

  /** @param place one of this list */
  remove(place: ListPlace<Item>): void {
    if (place.before) place.before.after = place.after;
    else this.#first = place.after;
    if (place.after) place.after.before = place.before;
    else this.#last = place.before;
    place.list = place.before = place.after = null;
    this.#size--;
  }

  /** The item that is being looked at may leave meanwhile, no other. */
  *[Symbol.iterator](): IterableIterator<Item> {
    for (let place = this.#first, next = place?.after; place; place = next ?? null, next = place?.after)
      yield place.item;
  }
}
