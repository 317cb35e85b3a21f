const DEFAULT_TIMEOUT_MS = 5000;

export interface TrackerOptions {
  /** How long a wait lasts that names no time of its own, in milliseconds; 5,000 by default. More where machines are busy. */
  readonly timeoutMs?: number;
}

/** What a mock trainer was told, in order, with a way to wait for more. */
export class Arrivals<Item> {
  protected readonly timeoutMs: number;
  readonly #items: Item[] = [];
  readonly #listeners = new Set<(item: Item) => void>();

  constructor({ timeoutMs = DEFAULT_TIMEOUT_MS }: TrackerOptions = {}) {
    this.timeoutMs = timeoutMs;
  }

  /** Everything recorded since the last {@link clear}, in order of arrival; a repeated delivery stands here twice. */
  get responses(): readonly Item[] {
    return this.#items;
  }

  record(item: Item): void {
    this.#items.push(item);
    for (const listener of [...this.#listeners]) listener(item);
  }

  /** Forgets what was recorded. Whoever waits goes on waiting. */
  clear(): void {
    this.#items.length = 0;
  }

  /** Hears everything from now on. Returns how to stop. */
  onRecord(listener: (item: Item) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** What is found now or after a later arrival; undefined when that does not come in time. */
  protected until<Found>(look: () => Found | undefined, timeoutMs: number): Promise<Found | undefined> {
    const found = look();
    if (found !== undefined) return Promise.resolve(found);
    return new Promise((resolve) => {
      const end = (result: Found | undefined): void => {
        clearTimeout(timer);
        stop();
        resolve(result);
      };
      // A timer that keeps the process alive: somebody is waiting for it.
      const timer = setTimeout(() => end(undefined), timeoutMs);
      const stop = this.onRecord(() => {
        const result = look();
        if (result !== undefined) end(result);
      });
    });
  }
}
