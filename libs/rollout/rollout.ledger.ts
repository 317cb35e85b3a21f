import type { RolloutRequest } from '#domain';
import { RolloutRecord } from './rollout.record.js';

/**
 * Every rollout the server knows: those in work, and the finished ones for as long as a repeat of their request must be
 * recognised. Rollout ids and idempotency keys are two separate name spaces.
 */
export class RolloutLedger {
  readonly #byId = new Map<string, RolloutRecord>();
  readonly #byKey = new Map<string, RolloutRecord>();
  /** Finished records, the oldest first. */
  readonly #finished = new Set<RolloutRecord>();
  #active = 0;

  constructor(
    private readonly ttlMs: number,
    private readonly maxFinished: number,
  ) {}

  get activeCount(): number {
    return this.#active;
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

  open(request: RolloutRequest, fingerprint: string): RolloutRecord {
    const record = new RolloutRecord(request, fingerprint);
    this.#byId.set(record.rolloutId, record);
    if (record.idempotencyKey) this.#byKey.set(record.idempotencyKey, record);
    this.#active++;
    return record;
  }

  /** A request that was refused after all leaves no trace, so that it can be sent again. */
  discard(record: RolloutRecord): void {
    this.#active--;
    this.#forget(record);
  }

  finish(record: RolloutRecord, now: number): void {
    this.#active--;
    record.finishedAt = now;
    this.#finished.add(record);
    if (this.#finished.size > this.maxFinished) this.#forgetOldest();
  }

  /** Forgets finished records older than the time to live. Records in work never expire. */
  prune(now: number): void {
    for (const record of this.#finished) {
      if (now - record.finishedAt <= this.ttlMs) return;
      this.#finished.delete(record);
      this.#forget(record);
    }
  }

  *active(): IterableIterator<RolloutRecord> {
    for (const record of this.#byId.values()) if (!this.#finished.has(record)) yield record;
  }

  #forgetOldest(): void {
    for (const record of this.#finished) {
      this.#finished.delete(record);
      this.#forget(record);
      return;
    }
  }

  #forget(record: RolloutRecord): void {
    if (this.#byId.get(record.rolloutId) === record) this.#byId.delete(record.rolloutId);
    const key = record.idempotencyKey;
    if (key && this.#byKey.get(key) === record) this.#byKey.delete(key);
  }
}
