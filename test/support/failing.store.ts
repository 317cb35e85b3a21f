import { OsmosisError } from '#domain';
import { MemoryRolloutStore, type RolloutStore } from '#rollout';

/** A store that says it is durable and can be made to refuse every write, like a disk that is full. */
export class FailingStore implements RolloutStore {
  readonly persistent = true;
  fault: Error | null = null;
  readonly #memory = new MemoryRolloutStore();

  open = this.#memory.open;
  close = this.#memory.close;
  prune = this.#memory.prune;
  unfinished = this.#memory.unfinished;
  remembered = this.#memory.remembered;
  conversation = this.#memory.conversation;
  list = this.#memory.list;
  revive = this.#memory.revive;
  earlier = this.#memory.earlier;
  counts = this.#memory.counts;
  started = (): void => {};
  conversed = (): void => {};
  announcementEnded = (): void => {};
  attemptFailed = (): void => {};
  ended = (): void => {};

  get = (): Promise<undefined> => this.#unless(undefined);
  accepted = (): Promise<undefined> => this.#unless(undefined);
  announced = (): Promise<void> => this.#unless(undefined);
  sealed = (): Promise<void> => this.#unless(undefined);

  async #unless<Value>(value: Value): Promise<Value> {
    if (!this.fault) return value;
    throw new OsmosisError('STORE_UNAVAILABLE', `The rollout store cannot be written: ${this.fault.message}`);
  }
}
