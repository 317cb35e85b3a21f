import type { RolloutRequest } from '#domain';
import type { RolloutRecord } from './rollout.record.js';

/**
 * Every rollout the server knows: those in work, and the finished ones for as long as a repeat of their request must be
 * recognised. Rollout ids and idempotency keys are two separate name spaces.
 */
export class RolloutLedger {
  readonly #byId = new Map<string, RolloutRecord>();
  readonly #byKey = new Map<string, RolloutRecord>();
  readonly #active = new Set<RolloutRecord>();
  /** The oldest first. */
  readonly #finished = new Set<RolloutRecord>();

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

  active(): IterableIterator<RolloutRecord> {
    return this.#active.values();
  }

  /** All records, in the order of their acceptance. */
  all(): IterableIterator<RolloutRecord> {
    return this.#byId.values();
  }

  /** A finished rollout of the same id is forgotten. */
  add(record: RolloutRecord): RolloutRecord {
    const earlier = this.#byId.get(record.rolloutId);
    if (earlier) this.#drop(earlier);
    this.#byId.set(record.rolloutId, record);
    if (record.idempotencyKey) this.#byKey.set(record.idempotencyKey, record);
    this.#active.add(record);
    return record;
  }

  /** A request that was refused after all leaves no trace, so that it can be sent again. */
  discard(record: RolloutRecord): void {
    this.#active.delete(record);
    this.#forget(record);
  }

  /** The record's `endedAt` is set by now. */
  finish(record: RolloutRecord): void {
    this.#active.delete(record);
    this.#finished.add(record);
    if (this.#finished.size <= this.maxFinished) return;
    const [oldest] = this.#finished;
    if (oldest) this.#drop(oldest);
  }

  /** A finished rollout is in work again. */
  reopen(record: RolloutRecord): void {
    this.#finished.delete(record);
    this.#active.add(record);
  }

  /** Forgets finished records older than the time to live. Records in work never expire. */
  prune(now: number): void {
    for (const record of this.#finished) {
      if (now - (record.endedAt ?? now) <= this.ttlMs) return;
      this.#drop(record);
    }
  }

  #drop(record: RolloutRecord): void {
    this.#finished.delete(record);
    this.#forget(record);
  }

  #forget(record: RolloutRecord): void {
    if (this.#byId.get(record.rolloutId) === record) this.#byId.delete(record.rolloutId);
    const key = record.idempotencyKey;
    if (key && this.#byKey.get(key) === record) this.#byKey.delete(key);
  }
}
