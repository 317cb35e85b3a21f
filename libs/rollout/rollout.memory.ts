import { Inject, Injectable } from '@nestjs/common';
import { RolloutLedger } from './rollout.ledger.js';
import { ROLLOUT_OPTIONS, type RolloutModuleOptions } from './rollout.options.js';
import type { RolloutRecord } from './rollout.record.js';
import { RolloutSlots } from './rollout.slots.js';

/** How busy a server is. */
export interface RolloutLoad {
  readonly running: number;
  /** Rollouts that wait for a slot. */
  readonly queued: number;
  readonly maxConcurrent: number;
}

/** What the parts of the engine share: the ledger, the slots, and who waits for the last rollout to end. */
@Injectable()
export class RolloutMemory {
  readonly ledger: RolloutLedger;
  readonly slots: RolloutSlots;
  /** Rollouts that are being accepted and will want a slot. */
  arriving = 0;
  private readonly waiting = new Set<() => void>();

  constructor(@Inject(ROLLOUT_OPTIONS) options: RolloutModuleOptions) {
    this.ledger = new RolloutLedger(options.recordTtlMs, options.maxRecords);
    this.slots = new RolloutSlots(options.maxConcurrent);
  }

  /** Rollouts that have no slot, or will have none when they are accepted. */
  get queueLength(): number {
    return this.slots.waitingCount + Math.max(0, this.arriving - this.slots.freeCount);
  }

  get load(): RolloutLoad {
    const { runningCount, waitingCount, capacity } = this.slots;
    return { running: runningCount, queued: waitingCount, maxConcurrent: capacity };
  }

  /** Whether another rollout would start at once. */
  get hasFreeSlot(): boolean {
    return this.slots.freeCount > this.arriving;
  }

  finish(record: RolloutRecord): void {
    this.ledger.finish(record);
    this.releaseWaiting();
  }

  discard(record: RolloutRecord): void {
    this.ledger.discard(record);
    this.releaseWaiting();
  }

  /** Resolves when no rollout is in work. */
  whenIdle(): Promise<void> {
    if (this.ledger.activeCount === 0) return Promise.resolve();
    return new Promise((resolve) => this.waiting.add(resolve));
  }

  private releaseWaiting(): void {
    if (this.ledger.activeCount > 0) return;
    for (const resolve of this.waiting) resolve();
    this.waiting.clear();
  }
}
