import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import {
  describeThrown,
  failureOf,
  OsmosisError,
  type ChatMessage,
  type RolloutOutcome,
  type RolloutRequest,
} from '#domain';
import type { OutcomeSummary } from './outcome.summary.js';
import { failedOutcome } from './outcome.summary.js';
import { newParcel, type Parcel } from './parcel.js';
import { decodeRequest } from './request.codec.js';
import { RolloutAnnouncer } from './rollout.announcer.js';
import { RolloutMemory } from './rollout.memory.js';
import { ROLLOUT_OPTIONS, type RolloutModuleOptions } from './rollout.options.js';
import { RolloutPipeline } from './rollout.pipeline.js';
import { RolloutPreparation } from './rollout.preparation.js';
import { rememberedRecord, reopenedRecord } from './rollout.recall.js';
import type { RolloutRecord } from './rollout.record.js';
import {
  KeyBox,
  ROLLOUT_STORE,
  type DeliveryState,
  type RememberedRow,
  type RolloutStore,
  type UnfinishedRow,
} from './store/index.js';

/**
 * Takes up what a former process has left: sealed outcomes are delivered, queued rollouts run, and those that were running
 * end as ERROR with what is known of them, so that no trainer waits in vain. Old requests get their old answers. Among
 * several workers the first one does it for a former server, and any one for a worker that has ended.
 */
@Injectable()
export class RolloutRecovery implements OnModuleInit, OnApplicationBootstrap {
  private readonly logger = new Logger('Recovery');
  private keys: KeyBox | null = null;

  constructor(
    private readonly preparation: RolloutPreparation,
    private readonly announcer: RolloutAnnouncer,
    private readonly pipeline: RolloutPipeline,
    private readonly memory: RolloutMemory,
    @Inject(ROLLOUT_STORE) private readonly store: RolloutStore,
    @Inject(ROLLOUT_OPTIONS) private readonly options: RolloutModuleOptions,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.store.open();
    if (this.store.persistent) this.keys = await KeyBox.open(this.options.dataDir);
  }

  async onApplicationBootstrap(): Promise<void> {
    const { crew } = this.options;
    // What is finished a worker finds in the store, whoever has finished it.
    if (!crew) await this.recallFinished();
    if (!crew || crew.isFirst) await this.takeUp();
  }

  /** @param members names of workers that have ended; none: whatever a former server has left */
  async takeUp(members?: readonly string[]): Promise<void> {
    const unfinished = await this.store.unfinished(members);
    if (unfinished.length === 0) return;
    const records = unfinished.map((row) => ({ row, record: this.reopen(row) }));
    this.logger.log(`taking up ${unfinished.length} rollout(s) that the former process has left`);
    // The server may serve meanwhile: each is known, so that a repeated request meets it.
    for (const { row, record } of records) void this.resume(row, record);
  }

  /** A dead letter gets another chance, and the whole horizon anew. False when there is none of that id. */
  async redeliver(rolloutId: string): Promise<boolean> {
    const record = this.memory.ledger.get(rolloutId);
    if (record && record.state !== 'done') return false;
    if (record && this.hasDeadLetter(record)) {
      this.memory.ledger.reopen(record);
      void this.resend(record);
      return true;
    }
    const row = await this.store.revive(rolloutId);
    if (!row?.sealed) return false;
    const reopened = this.reopen(row);
    const now = this.options.clock.now();
    this.recallAnnouncement(reopened, row, (parcel) => revived(parcel, now));
    this.recall(reopened, row, row.sealed);
    if (reopened.parcel) reopened.parcel = revived(reopened.parcel, now);
    void this.send(reopened, row.sealed.delivery);
    return true;
  }

  /** In memory; of what the store has as well, another worker may have taken care since. */
  private hasDeadLetter({ parcel, announcement }: RolloutRecord): boolean {
    return [parcel, announcement?.parcel].some((part) => part?.dead && !(this.options.crew && part.stored));
  }

  /** What memory alone has. */
  private resend(record: RolloutRecord): Promise<void> {
    const now = this.options.clock.now();
    const { announcement, parcel } = record;
    record.announcement = announcement?.parcel.dead ? this.announcer.again(revived(announcement.parcel, now)) : null;
    record.parcel = parcel?.dead ? revived(parcel, now) : null;
    return this.send(record, 'delivered');
  }

  private async recallFinished(): Promise<void> {
    const since = this.options.clock.now() - this.options.recordTtlMs;
    for (const row of await this.store.remembered(since)) this.remember(row);
  }

  private remember(row: RememberedRow): void {
    this.memory.finish(this.memory.ledger.add(rememberedRecord(row)));
  }

  private reopen(row: UnfinishedRow): RolloutRecord {
    return this.memory.ledger.add(reopenedRecord(row));
  }

  private async resume(row: UnfinishedRow, record: RolloutRecord): Promise<void> {
    try {
      this.recallAnnouncement(record, row);
      if (row.sealed) {
        this.recall(record, row, row.sealed);
        return await this.send(record, row.sealed.delivery);
      }
      if (row.announced?.outcome) return await this.closeAnnounced(record, row, row.announced.outcome);
      if (row.startedAt === null) return await this.runQueued(record, row);
      const messages = await this.knownConversation(row);
      await this.fail(record, this.requestOf(row), new OsmosisError('SHUTDOWN', INTERRUPTED), messages);
    } catch (error) {
      this.logger.error(`rollout ${JSON.stringify(row.rolloutId)} cannot be taken up: ${describeThrown(error)}`);
      this.memory.discard(record);
    }
  }

  /** What was sealed before. */
  private recall(record: RolloutRecord, row: UnfinishedRow, sealed: NonNullable<UnfinishedRow['sealed']>): void {
    const { sealedAt, summary, url, body } = sealed;
    const { trainer } = this.requestOf(row);
    record.sealedAt = sealedAt;
    record.summary = JSON.parse(summary) as OutcomeSummary;
    if (url === null || body === null || sealed.delivery !== 'pending') return;
    const parcel = newParcel(row.rolloutId, trainer, { url, body }, sealedAt);
    record.parcel = { ...parcel, attempts: row.attempts, stored: true };
  }

  /** What was announced and not acknowledged is told first. */
  private recallAnnouncement(
    record: RolloutRecord,
    row: UnfinishedRow,
    revive = (parcel: Parcel): Parcel => parcel,
  ): void {
    if (!row.announced) return;
    record.announced = true;
    if (row.announced.delivery !== 'pending') return;
    const { announcedAt, url, body } = row.announced;
    const { trainer } = this.requestOf(row);
    const parcel = newParcel(row.rolloutId, trainer, { url, body }, announcedAt, 0, 'announcement');
    record.announcement = this.announcer.again(revive({ ...parcel, attempts: row.attempts, stored: true }));
  }

  /** The agent had ended and its trainer may know: that stands, and only the score is missing. */
  private async closeAnnounced(record: RolloutRecord, row: UnfinishedRow, outcomeJson: string): Promise<void> {
    const request = this.requestOf(row);
    const failure = failureOf(new OsmosisError('SHUTDOWN', UNSCORED), 'reward');
    const outcome = JSON.parse(outcomeJson) as RolloutOutcome;
    await this.pipeline.seal(record, request, request.wantsReward === false ? outcome : { ...outcome, failure });
    await this.pipeline.send(record);
  }

  private send(record: RolloutRecord, before: DeliveryState = 'none'): Promise<void> {
    record.state = 'delivering';
    record.delivery = null;
    return this.pipeline.send(record, before === 'pending' ? 'none' : before);
  }

  private async runQueued(record: RolloutRecord, row: UnfinishedRow): Promise<void> {
    const request = this.requestOf(row);
    try {
      record.work = await this.preparation.prepare(request, record.cancellation);
    } catch (error) {
      return this.fail(record, request, error, []);
    }
    await this.pipeline.process(record, record.work);
  }

  private async fail(
    record: RolloutRecord,
    request: RolloutRequest,
    error: unknown,
    messages: readonly ChatMessage[],
  ): Promise<void> {
    const failure = failureOf(error, record.startedAt === null ? 'queue' : 'agent');
    await this.pipeline.seal(record, request, failedOutcome(record.rolloutId, failure, messages));
    await this.pipeline.send(record);
  }

  private requestOf(row: UnfinishedRow): RolloutRequest {
    return decodeRequest(row.request, row.apiKey === null ? null : (this.keys?.open(row.apiKey) ?? null));
  }

  /** Later parts replace what earlier ones said of the same messages. */
  private async knownConversation(row: UnfinishedRow): Promise<readonly ChatMessage[]> {
    const messages: ChatMessage[] = [];
    for (const part of await this.store.conversation(row.rolloutId)) {
      messages.splice(part.from, Infinity, ...(JSON.parse(part.messages) as ChatMessage[]));
    }
    return messages;
  }
}

const UNSCORED = 'The process that ran the rollout ended before its rewards were computed.';
const INTERRUPTED = 'The process that ran the rollout ended before the rollout did. Send it again under a new id.';

/** A dead letter that gets the whole horizon anew. */
function revived(parcel: Parcel, now: number): Parcel {
  const { rolloutId, address, message, attempts, part, stored } = parcel;
  return { ...newParcel(rolloutId, address, message, now, attempts, part), stored };
}
