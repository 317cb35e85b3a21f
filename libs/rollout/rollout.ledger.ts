import { LinkedList, type RolloutRequest } from '#domain';
import type { RolloutRecord } from './rollout.record.js';

/**
 * Every rollout the server knows: those in work, and the finished ones for as long as a repeat of their request must be
 * recognised. Rollout ids and idempotency keys are two separate name spaces.
 */
export class RolloutLedger {
  readonly #byId = new Map<string, RolloutRecord>();
  readonly #byKey = new Map<string, RolloutRecord>();
  readonly #active = new LinkedList<RolloutRecord>();
  /** The oldest first. */
  readonly #finished = new LinkedList<RolloutRecord>();

  constructor(
    private readonly ttlMs: number,
    private readonly maxFinished: number,
  ) {}

  get activeCount(): number {
    return this.#active.size;
  }

  get finishedCount(): number {
    return this.#finished.size;
  }

  /** The record that a request repeats. */
  find(request: RolloutRequest): RolloutRecord | undefined {
    const byKey = request.idempotencyKey ? this.#byKey.get(request.idempotencyKey) : undefined;
    return byKey ?? this.#byId.get(request.rolloutId);
  }

  get(rolloutId: string): RolloutRecord | undefined {
    return this.#byId.get(rolloutId);
  }

  active(): Iterable<RolloutRecord> {
    return this.#active;
  }

  /** All records, in the order of their acceptance. */
  all(): IterableIterator<RolloutRecord> {
    return this.#byId.values();
  }

  /** A finished rollout of the same id is forgotten. */
  add(record: RolloutRecord): RolloutRecord {
    const earlier = this.#byId.get(record.rolloutId);
    if (earlier) this.discard(earlier);
    this.#byId.set(record.rolloutId, record);
    if (record.idempotencyKey) this.#byKey.set(record.idempotencyKey, record);
    record.place = this.#active.add(record);
    return record;
  }

  /** The record's `endedAt` is set by now. */
  finish(record: RolloutRecord): void {
    move(record, this.#finished);
    const { first, size } = this.#finished;
    if (first && size > this.maxFinished) this.discard(first);
  }

  /** A finished rollout is in work again. */
  reopen(record: RolloutRecord): void {
    move(record, this.#active);
  }

  /** Forgets finished records older than the time to live. Records in work never expire. */
  prune(now: number): void {
    for (const record of this.#finished) {
      if (now - (record.endedAt ?? now) <= this.ttlMs) return;
      this.discard(record);
    }
  }

  /** Leaves no trace of it. A request that was refused after all can then be sent again. */
  discard(record: RolloutRecord): void {
    record.place?.leave();
    if (this.#byId.get(record.rolloutId) === record) this.#byId.delete(record.rolloutId);
    const key = record.idempotencyKey;
    if (key && this.#byKey.get(key) === record) this.#byKey.delete(key);
  }
}

function move(record: RolloutRecord, to: LinkedList<RolloutRecord>): void {
  record.place?.leave();
  record.place = to.add(record);
}
