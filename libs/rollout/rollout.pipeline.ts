import { Inject, Injectable, Logger } from '@nestjs/common';
import {
  describeThrown,
  failureOf,
  OsmosisError,
  type Cancellation,
  type RolloutOutcome,
  type TrainerAddress,
} from '#domain';
import { deadlineOf, deadlineReached } from './deadline.js';
import { DeliveryService } from './delivery.service.js';
import { renderSafely } from './outcome.renderer.js';
import { failedInQueue, oneLine, summaryOf } from './outcome.summary.js';
import { newParcel } from './parcel.js';
import { RolloutMemory } from './rollout.memory.js';
import { ROLLOUT_OPTIONS, type RolloutModuleOptions } from './rollout.options.js';
import type { RolloutRecord, RolloutWork } from './rollout.record.js';
import { RolloutRunner } from './rollout.runner.js';
import { ROLLOUT_STORE, type RolloutStore } from './store/index.js';
import { TrainerRegistry } from './trainer.registry.js';

/** The straight line of an accepted rollout: run → score → seal → deliver. */
@Injectable()
export class RolloutPipeline {
  private readonly logger = new Logger('Rollout');

  constructor(
    private readonly memory: RolloutMemory,
    private readonly runner: RolloutRunner,
    private readonly trainers: TrainerRegistry,
    private readonly delivery: DeliveryService,
    @Inject(ROLLOUT_STORE) private readonly store: RolloutStore,
    @Inject(ROLLOUT_OPTIONS) private readonly options: RolloutModuleOptions,
  ) {}

  /** Does all of it. Never throws: nobody waits for it. */
  async process(record: RolloutRecord, work: RolloutWork): Promise<void> {
    try {
      const outcome = await this.runInTime(record, work);
      await this.seal(record, work.request.trainer, outcome);
    } catch (error) {
      this.logger.error(`rollout ${JSON.stringify(record.rolloutId)}: ${describeThrown(error)}`);
    }
    await this.send(record);
  }

  /** Fixes an outcome for good: recorded, and rendered for its trainer. */
  async seal(record: RolloutRecord, address: TrainerAddress, outcome: RolloutOutcome): Promise<void> {
    const sealedAt = this.options.clock.now();
    const message = renderSafely(this.trainers.get(address.dialect), address, outcome);
    record.summary = summaryOf(outcome);
    record.parcel = newParcel(record.rolloutId, address, message, sealedAt);
    record.state = 'delivering';
    record.sealedAt = sealedAt;
    record.work = null;
    this.logger.log(oneLine(record.agent, outcome));
    if (!this.store.persistent) return;
    try {
      await this.store.sealed({
        rolloutId: record.rolloutId,
        sealedAt,
        status: outcome.status,
        summary: JSON.stringify(record.summary),
        ...message,
      });
      record.parcel.stored = true;
    } catch (error) {
      // The trainer waits: an outcome that cannot be stored is still told.
      this.logger.error(`rollout ${JSON.stringify(record.rolloutId)}: ${describeThrown(error)}`);
    }
  }

  /** Delivers a sealed record and ends it. Never throws. */
  async send(record: RolloutRecord): Promise<void> {
    const { parcel } = record;
    const result = parcel ? await this.delivery.deliver(parcel) : 'dead';
    if (result !== 'postponed') {
      record.delivery = { state: result, attempts: parcel?.attempts ?? 0, lastError: parcel?.lastError ?? null };
      // A whole conversation: memory keeps it only when nobody else does.
      if (result === 'delivered' || parcel?.stored) record.parcel = null;
    }
    record.state = 'done';
    record.work = null;
    record.endedAt = this.options.clock.now();
    this.memory.finish(record);
  }

  private async runInTime(record: RolloutRecord, work: RolloutWork): Promise<RolloutOutcome> {
    const { clock, deadlineMs, maxQueueMs } = this.options;
    const { cancellation } = work;
    const limitMs = deadlineOf(work.request, deadlineMs);
    const stop = clock.after(limitMs, () => cancellation.cancel(deadlineReached(record, limitMs)));
    const stopQueue =
      maxQueueMs === undefined
        ? undefined
        : clock.after(maxQueueMs, () => cancelQueued(record, cancellation, maxQueueMs));
    try {
      const { slots } = this.memory;
      try {
        if (!slots.tryAcquire()) await slots.acquire(cancellation);
      } catch (error) {
        return failedInQueue(record.rolloutId, error);
      }
      stopQueue?.();
      try {
        return await this.run(record, work);
      } finally {
        // Given back before the outcome is delivered: a trainer that is down holds up no other rollout.
        slots.release();
      }
    } finally {
      stop();
      stopQueue?.();
    }
  }

  private async run(record: RolloutRecord, work: RolloutWork): Promise<RolloutOutcome> {
    record.state = 'running';
    record.startedAt = this.options.clock.now();
    this.store.started(record.rolloutId, record.startedAt);
    try {
      const model = this.trainers.get(work.request.trainer.dialect).openChat(work.request);
      return await this.runner.run(work, model, () => (record.state = 'scoring'));
    } catch (error) {
      return { ...failedInQueue(record.rolloutId, error), failure: failureOf(error, 'agent') };
    }
  }
}

function cancelQueued(record: RolloutRecord, cancellation: Cancellation, maxQueueMs: number): void {
  if (record.state !== 'queued') return;
  cancellation.cancel(
    new OsmosisError('DEADLINE', `The rollout waited longer than ${maxQueueMs} ms for a slot (rollouts.maxQueueMs).`),
  );
}
