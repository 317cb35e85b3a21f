import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { describeThrown, OsmosisError, type Timer } from '#domain';
import { DeliveryService } from './delivery.service.js';
import { RolloutAdmission } from './rollout.admission.js';
import { RolloutMemory } from './rollout.memory.js';
import { ROLLOUT_OPTIONS, type RolloutModuleOptions } from './rollout.options.js';
import type { RolloutRecord } from './rollout.record.js';
import { ROLLOUT_STORE, type RolloutStore } from './store/index.js';

/** How often the conversations of running rollouts are stored, in milliseconds. Short rollouts are never. */
const SNAPSHOT_INTERVAL_MS = 1_000;
/** What is cancelled is sealed within a few turns of the event loop, and may then be told. */
const SHORTEST_GRACE_MS = 50;
/** After everything was cancelled only a store that does not answer can hold up the end. */
const LAST_WAIT_MS = 5_000;

/** The engine's housekeeping: forgets what is old, stores what is under way, and sees the last rollout off. */
@Injectable()
export class RolloutKeeper implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly logger = new Logger('Rollout');
  private readonly timers: Timer[] = [];
  private readonly stored = new WeakMap<RolloutRecord, { list: readonly unknown[]; count: number }>();
  private stopped = false;

  constructor(
    private readonly memory: RolloutMemory,
    private readonly admission: RolloutAdmission,
    private readonly delivery: DeliveryService,
    @Inject(ROLLOUT_STORE) private readonly store: RolloutStore,
    @Inject(ROLLOUT_OPTIONS) private readonly options: RolloutModuleOptions,
  ) {}

  onApplicationBootstrap(): void {
    this.every(this.options.cleanupIntervalMs, () => this.prune());
    if (this.store.persistent) this.every(SNAPSHOT_INTERVAL_MS, () => this.snapshot());
  }

  /** Running rollouts get the grace; what is left ends as ERROR, and its trainer is told, now or after the next start. */
  async beforeApplicationShutdown(): Promise<void> {
    this.admission.stop();
    const { shutdownGraceMs } = this.options;
    if (await this.isIdleWithin(shutdownGraceMs)) return;
    const reason = new OsmosisError('SHUTDOWN', 'The server is stopping and the rollout did not end in time.');
    for (const record of this.memory.ledger.active()) record.cancellation.cancel(reason);
    if (await this.isIdleWithin(Math.max(shutdownGraceMs, SHORTEST_GRACE_MS))) return;
    this.delivery.stop();
    if (await this.isIdleWithin(LAST_WAIT_MS)) return;
    this.logger.error(`The server stops with ${this.memory.ledger.activeCount} rollout(s) that could not be ended.`);
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopped = true;
    for (const timer of this.timers) timer.stop();
    await this.store.close();
  }

  /** Waits until no rollout is in work, or the time is over. */
  private isIdleWithin(limitMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = this.options.clock.after(limitMs, () => resolve(false));
      void this.memory.whenIdle().then(() => {
        timer.stop();
        resolve(true);
      });
    });
  }

  private every(intervalMs: number, work: () => void): void {
    const index = this.timers.length;
    const arm = (): void => {
      if (this.stopped) return;
      this.timers[index] = this.options.clock.after(intervalMs, () => {
        work();
        arm();
      });
    };
    arm();
  }

  private prune(): void {
    const now = this.options.clock.now();
    this.memory.ledger.prune(now);
    this.store
      .prune(now - this.options.recordTtlMs, this.options.maxRecords)
      .catch((error: unknown) => this.logger.warn(`Old rollouts cannot be removed: ${describeThrown(error)}`));
  }

  /** Stores what the conversations have gained since the last time. */
  private snapshot(): void {
    for (const record of this.memory.ledger.active()) {
      const messages = record.work?.session?.conversation();
      if (!messages || messages.length === 0) continue;
      const known = this.stored.get(record);
      // A loop that hands over a new list may have changed what was in the old one.
      const from = known && known.list === messages ? known.count : 0;
      if (from === messages.length) continue;
      this.stored.set(record, { list: messages, count: messages.length });
      this.storeConversation(record, from, messages);
    }
  }

  private storeConversation(record: RolloutRecord, from: number, messages: readonly unknown[]): void {
    try {
      this.store.conversed(record.rolloutId, from, JSON.stringify(messages.slice(from)));
    } catch (error) {
      this.logger.debug?.(`rollout ${JSON.stringify(record.rolloutId)}: not stored: ${describeThrown(error)}`);
    }
  }
}
