import { Inject, Injectable, Logger } from '@nestjs/common';
import { backoffDelayMs, Cancellation, describeThrown, OsmosisError, PeerError, sleep, TextMemo } from '#domain';
import type { Parcel } from './parcel.js';
import { ROLLOUT_OPTIONS, type RolloutModuleOptions } from './rollout.options.js';
import { RolloutSlots } from './rollout.slots.js';
import { ROLLOUT_STORE, type RolloutStore } from './store/index.js';
import { TrainerRegistry } from './trainer.registry.js';
import { TrajectoryWriter } from './trajectory/trajectory.writer.js';

const origins = new TextMemo((url) => (URL.canParse(url) ? new URL(url).origin : url));

export type DeliveryResult = 'delivered' | 'dead' | 'postponed';

/** A delivery that goes on while the rollout does. */
export interface DeliveryUnderWay {
  readonly result: Promise<DeliveryResult>;
  /** Ends the attempts: the trainer is not to be told any more. The result is then `postponed`, and nothing is logged. */
  withdraw(): void;
}

/** Names of the parts in log lines, and in idempotency keys. */
const PARTS = {
  announcement: { words: 'the announcement', key: 'announced' },
  outcome: { words: 'the completion', key: 'completed' },
} as const;

/**
 * The outbox: brings messages to their trainers, until they acknowledge, refuse for good, or the horizon is
 * reached. Knows nothing of how an outcome came about and never changes it: every attempt carries the same bytes and the
 * same idempotency key.
 */
@Injectable()
export class DeliveryService {
  private readonly logger = new Logger('Delivery');
  private readonly stopping = new Cancellation();
  private readonly lanes = new Map<string, RolloutSlots>();
  private pending = 0;

  constructor(
    private readonly trainers: TrainerRegistry,
    private readonly trajectories: TrajectoryWriter,
    @Inject(ROLLOUT_STORE) private readonly store: RolloutStore,
    @Inject(ROLLOUT_OPTIONS) private readonly options: RolloutModuleOptions,
  ) {}

  /** Messages that wait for their trainers. */
  get pendingCount(): number {
    return this.pending;
  }

  /** Never throws. `postponed`: the server stops first; a persistent store goes on with it at the next start. */
  async deliver(parcel: Parcel, stop = this.stopping): Promise<DeliveryResult> {
    this.pending++;
    try {
      while (!(await this.attempt(parcel, stop))) {
        if (parcel.dead) return this.giveUp(parcel);
        await this.waitForNext(parcel, stop);
      }
      this.noteEnd(parcel, 'delivered');
      return 'delivered';
    } catch (error) {
      if (stop.reason?.code !== 'CANCELLED') this.logPostponed(parcel, error);
      return 'postponed';
    } finally {
      this.pending--;
    }
  }

  /** The same, for a parcel that may be withdrawn. */
  begin(parcel: Parcel): DeliveryUnderWay {
    const { cancellation, release } = this.stopping.child();
    return {
      result: this.deliver(parcel, cancellation).finally(release),
      withdraw: () => cancellation.cancel(new OsmosisError('CANCELLED', 'the rollout was cancelled')),
    };
  }

  /** Ends the attempts under way, and postpones what is not delivered, also what is handed over from now on. */
  stop(): void {
    this.stopping.cancel(new OsmosisError('SHUTDOWN', 'the server stopped before the trainer acknowledged'));
  }

  /** True when the trainer has acknowledged. Throws only when the server stops. */
  private async attempt(parcel: Parcel, stop: Cancellation): Promise<boolean> {
    const lane = this.laneOf(parcel.message.url);
    if (!lane.tryAcquire()) await lane.acquire(stop);
    parcel.nextAttemptAt = null;
    try {
      stop.throwIfCancelled();
      const report = await this.trainers.get(parcel.address.dialect).deliver(parcel.address, parcel.message, {
        idempotencyKey: `${parcel.rolloutId}:${PARTS[parcel.part].key}`,
        number: ++parcel.attempts,
        cancellation: stop,
      });
      if (report) this.trajectories.report(parcel.rolloutId, report);
      return true;
    } catch (error) {
      stop.throwIfCancelled();
      this.recordFailure(parcel, error);
      return false;
    } finally {
      lane.release();
    }
  }

  private recordFailure(parcel: Parcel, error: unknown): void {
    const { clock, delivery } = this.options;
    const text = describeThrown(error);
    parcel.lastError = text;
    this.store.attemptFailed(parcel.rolloutId, { number: parcel.attempts, at: clock.now(), error: text });
    const attempts = parcel.attempts - parcel.attemptsBefore;
    const retryable = OsmosisError.is(error) && error.retryable && attempts <= (delivery.maxRetries ?? Infinity);
    const retryAfterMs = error instanceof PeerError ? error.retryAfterMs : undefined;
    const nextAt = clock.now() + backoffDelayMs(delivery.backoff, attempts, retryAfterMs);
    parcel.dead = !retryable || nextAt > parcel.since + delivery.horizonMs;
    parcel.nextAttemptAt = parcel.dead ? null : nextAt;
  }

  private async waitForNext(parcel: Parcel, stop: Cancellation): Promise<void> {
    const delayMs = Math.max(0, (parcel.nextAttemptAt ?? 0) - this.options.clock.now());
    // A trainer that is down holds up no document.
    this.trajectories.release(parcel.rolloutId);
    this.logger.warn(
      `rollout ${JSON.stringify(parcel.rolloutId)}: delivery attempt ${parcel.attempts} failed, next in ` +
        `${Math.round(delayMs)} ms: ${parcel.lastError}`,
    );
    await sleep(this.options.clock, delayMs, stop);
  }

  private giveUp(parcel: Parcel): DeliveryResult {
    this.noteEnd(parcel, 'dead');
    this.logger.error(
      `rollout ${JSON.stringify(parcel.rolloutId)}: ${PARTS[parcel.part].words} is a dead letter after ${parcel.attempts} ` +
        `attempt(s): ${parcel.lastError}`,
    );
    return 'dead';
  }

  private noteEnd({ rolloutId, part }: Parcel, state: 'delivered' | 'dead'): void {
    if (part === 'outcome') this.store.ended(rolloutId, state, this.options.clock.now());
    else this.store.announcementEnded(rolloutId, state);
  }

  private logPostponed(parcel: Parcel, error: unknown): void {
    const { words } = PARTS[parcel.part];
    const text = `rollout ${JSON.stringify(parcel.rolloutId)}: ${words} is not delivered: ${describeThrown(error)}`;
    if (parcel.stored) this.logger.warn(`${text}; it will be after the next start`);
    else this.logger.error(`${text}; it is lost, because no store has it`);
  }

  /** A trainer that hangs holds up its own completions only. */
  private laneOf(url: string): RolloutSlots {
    const origin = origins.get(url);
    let lane = this.lanes.get(origin);
    if (!lane) {
      // Lanes without traffic are forgotten now and then; a trainer that comes back gets a new one.
      if (this.lanes.size >= 1_000)
        for (const [key, { runningCount }] of this.lanes) if (!runningCount) this.lanes.delete(key);
      lane = new RolloutSlots(this.options.delivery.perTrainer);
      this.lanes.set(origin, lane);
    }
    return lane;
  }
}
