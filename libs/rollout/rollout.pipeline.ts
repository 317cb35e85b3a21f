import { Inject, Injectable, Logger } from '@nestjs/common';
import { describeThrown, type RolloutOutcome, type RolloutRequest } from '#domain';
import { DeliveryService, type DeliveryResult } from './delivery.service.js';
import { renderSafely } from './outcome.renderer.js';
import { oneLine, summaryOf } from './outcome.summary.js';
import { newParcel } from './parcel.js';
import { RolloutAnnouncer } from './rollout.announcer.js';
import { RolloutExecution } from './rollout.execution.js';
import { RolloutMemory } from './rollout.memory.js';
import { ROLLOUT_OPTIONS, type RolloutModuleOptions } from './rollout.options.js';
import type { RolloutRecord, RolloutWork } from './rollout.record.js';
import { ROLLOUT_STORE, type DeliveryEndState, type RolloutStore } from './store/index.js';
import { TrainerRegistry } from './trainer.registry.js';
import { TrajectoryWriter } from './trajectory/trajectory.writer.js';

/** The straight line of an accepted rollout: run → score → seal → deliver. */
@Injectable()
export class RolloutPipeline {
  private readonly logger = new Logger('Rollout');

  constructor(
    private readonly memory: RolloutMemory,
    private readonly execution: RolloutExecution,
    private readonly trainers: TrainerRegistry,
    private readonly announcer: RolloutAnnouncer,
    private readonly delivery: DeliveryService,
    private readonly trajectories: TrajectoryWriter,
    @Inject(ROLLOUT_STORE) private readonly store: RolloutStore,
    @Inject(ROLLOUT_OPTIONS) private readonly options: RolloutModuleOptions,
  ) {}

  /** Does all of it. Never throws: nobody waits for it. */
  process(record: RolloutRecord, work: RolloutWork): Promise<void> {
    return this.execution.run(record, work).then((outcome) => this.end(record, work.request, outcome));
  }

  private async end(record: RolloutRecord, request: RolloutRequest, outcome: RolloutOutcome): Promise<void> {
    try {
      await this.seal(record, request, outcome);
    } catch (error) {
      this.logger.error(`rollout ${JSON.stringify(record.rolloutId)}: ${describeThrown(error)}`);
    }
    await this.send(record);
  }

  /** Fixes an outcome for good: recorded, and rendered for its trainer. */
  async seal(record: RolloutRecord, request: RolloutRequest, outcome: RolloutOutcome): Promise<void> {
    const sealedAt = this.options.clock.now();
    const message = renderSafely(this.trainers.get(request.trainer.dialect), request, outcome);
    if (this.trajectories.enabled) await this.trajectories.hold(record, request, outcome, sealedAt);
    record.summary = summaryOf(outcome);
    record.parcel = message && newParcel(record.rolloutId, request.trainer, message, sealedAt);
    record.state = 'delivering';
    record.sealedAt = sealedAt;
    record.work = null;
    this.logger.log(oneLine(record.agent, outcome));
    // Before the outcome is stored, so that both are in one commit.
    if (this.announcer.serves(request)) this.announcer.sealed(record, request, outcome);
    if (!this.store.persistent) return;
    try {
      await this.store.sealed({
        rolloutId: record.rolloutId,
        sealedAt,
        status: outcome.status,
        summary: JSON.stringify(record.summary),
        url: message?.url ?? null,
        body: message?.body ?? null,
      });
      if (record.parcel) record.parcel.stored = true;
    } catch (error) {
      // The trainer waits: an outcome that cannot be stored is still told.
      this.logger.error(`rollout ${JSON.stringify(record.rolloutId)}: ${describeThrown(error)}`);
    }
  }

  /**
   * Delivers a sealed record, what was announced of it first, and ends it. Never throws.
   *
   * @param before how the delivery has ended before, when only an announcement is sent again
   */
  async send(record: RolloutRecord, before: DeliveryEndState = 'none'): Promise<void> {
    const { announcement } = record;
    const announced = announcement ? await announcement.result : 'none';
    const { parcel } = record;
    if (parcel && announcement) parcel.attempts = parcel.attemptsBefore = announcement.parcel.attempts;
    const result = parcel ? await this.delivery.deliver(parcel) : this.untold(record, announced, before);
    if (result !== 'postponed') {
      const last = parcel ?? announcement?.parcel;
      const state = announced === 'dead' ? announced : result;
      record.delivery = { state, attempts: last?.attempts ?? 0, lastError: last?.lastError ?? null };
      // A whole conversation: memory keeps it only when nobody else does.
      if (result === 'delivered' || parcel?.stored) record.parcel = null;
      if (announced === 'delivered' || announcement?.parcel.stored) record.announcement = null;
    }
    this.trajectories.release(record.rolloutId);
    record.state = 'done';
    record.work = null;
    record.endedAt = this.options.clock.now();
    this.memory.finish(record);
  }

  /** The end of a rollout whose trainer gets no message of its outcome. */
  private untold(
    record: RolloutRecord,
    announced: DeliveryResult | 'none',
    before: DeliveryEndState,
  ): DeliveryResult | 'none' {
    // Sealing itself has failed: there should be a message.
    if (record.sealedAt === null) return 'dead';
    const withdrawn = announced === 'postponed' && record.summary?.failure?.class === 'cancelled';
    const result = before !== 'none' ? before : withdrawn ? 'none' : announced;
    if (result !== 'postponed') this.store.ended(record.rolloutId, result, this.options.clock.now());
    return result;
  }
}
