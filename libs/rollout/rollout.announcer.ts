import { Inject, Injectable, Logger } from '@nestjs/common';
import { describeThrown, type RolloutOutcome, type RolloutRequest } from '#domain';
import { Announcement } from './announcement.js';
import { DeliveryService } from './delivery.service.js';
import { announceSafely } from './outcome.renderer.js';
import { newParcel, type Parcel } from './parcel.js';
import { ROLLOUT_OPTIONS, type RolloutModuleOptions } from './rollout.options.js';
import type { RolloutRecord } from './rollout.record.js';
import { ROLLOUT_STORE, type RolloutStore } from './store/index.js';
import { TrainerRegistry } from './trainer.registry.js';

/**
 * Tells trainers that an agent has ended, in dialects that want to know before the score. What is announced is final: it
 * is stored first, and no later end of the rollout contradicts it.
 */
@Injectable()
export class RolloutAnnouncer {
  private readonly logger = new Logger('Rollout');

  constructor(
    private readonly trainers: TrainerRegistry,
    private readonly delivery: DeliveryService,
    @Inject(ROLLOUT_STORE) private readonly store: RolloutStore,
    @Inject(ROLLOUT_OPTIONS) private readonly options: RolloutModuleOptions,
  ) {}

  /** Whether the dialect wants to know. */
  serves(request: RolloutRequest): boolean {
    return this.trainers.get(request.trainer.dialect).announce !== undefined;
  }

  /** The agent has ended well and its rewards are asked next. Does not wait for the delivery; never throws. */
  ran(record: RolloutRecord, request: RolloutRequest, outcome: RolloutOutcome): void {
    this.announce(record, request, outcome, this.store.persistent ? outcomeJson(outcome) : null);
  }

  /** Makes up for what was not announced, and takes back what the trainer of a cancelled rollout has not heard yet. */
  sealed(record: RolloutRecord, request: RolloutRequest, outcome: RolloutOutcome): void {
    const { announcement } = record;
    if (!record.announced) return this.announce(record, request, outcome, null);
    if (!announcement?.isPending || announceSafely(this.trainers.get(record.dialect), request, outcome)) return;
    announcement.withdraw();
    this.store.announcementEnded(record.rolloutId, 'none');
  }

  /** What was announced before is told again, or at last. */
  again(parcel: Parcel): Announcement {
    return new Announcement(parcel, Promise.resolve(), (ready) => this.delivery.begin(ready));
  }

  private announce(record: RolloutRecord, request: RolloutRequest, outcome: RolloutOutcome, json: string | null): void {
    const message = announceSafely(this.trainers.get(request.trainer.dialect), request, outcome);
    if (!message) return;
    record.announced = true;
    const announcedAt = this.options.clock.now();
    const parcel = newParcel(record.rolloutId, request.trainer, message, announcedAt, 0, 'announcement');
    const row = { rolloutId: record.rolloutId, announcedAt, ...message, outcome: json };
    const written = this.store.announced(row).then(
      () => void (parcel.stored = this.store.persistent),
      // The trainer waits: what cannot be stored is still told.
      (error: unknown) => this.logger.error(`rollout ${JSON.stringify(record.rolloutId)}: ${describeThrown(error)}`),
    );
    record.announcement = new Announcement(parcel, written, (ready) => this.delivery.begin(ready));
  }
}

/** For whoever takes the rollout up after a crash. Without its messages when they have no JSON form. */
function outcomeJson(outcome: RolloutOutcome): string {
  try {
    return JSON.stringify(outcome);
  } catch {
    return JSON.stringify({ ...outcome, finalMessages: [], sample: undefined });
  }
}
