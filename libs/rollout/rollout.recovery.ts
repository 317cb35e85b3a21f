import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { describeThrown, failureOf, OsmosisError, type ChatMessage, type RolloutRequest } from '#domain';
import type { OutcomeSummary } from './outcome.summary.js';
import { failedOutcome } from './outcome.summary.js';
import { newParcel, type Parcel } from './parcel.js';
import { decodeRequest } from './request.codec.js';
import { RolloutMemory } from './rollout.memory.js';
import { ROLLOUT_OPTIONS, type RolloutModuleOptions } from './rollout.options.js';
import { RolloutPipeline } from './rollout.pipeline.js';
import { RolloutPreparation } from './rollout.preparation.js';
import { rememberedRecord, reopenedRecord } from './rollout.recall.js';
import type { RolloutRecord } from './rollout.record.js';
import {
  KeyBox,
  ROLLOUT_STORE,
  type RememberedRow,
  type RolloutStore,
  type SealedRow,
  type UnfinishedRow,
} from './store/index.js';

/**
 * Takes up what a former process has left: sealed outcomes are delivered, queued rollouts run, and those that were running
 * end as ERROR with what is known of them, so that no trainer waits in vain. Old requests get their old answers.
 */
@Injectable()
export class RolloutRecovery implements OnModuleInit, OnApplicationBootstrap {
  private readonly logger = new Logger('Recovery');
  private keys: KeyBox | null = null;

  constructor(
    private readonly preparation: RolloutPreparation,
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
    const since = this.options.clock.now() - this.options.recordTtlMs;
    for (const row of await this.store.remembered(since)) this.remember(row);
    const unfinished = await this.store.unfinished();
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
    if (record?.parcel?.dead) {
      const { address, message, attempts } = record.parcel;
      this.memory.ledger.reopen(record);
      void this.send(record, newParcel(rolloutId, address, message, this.options.clock.now(), attempts));
      return true;
    }
    const row = await this.store.revive(rolloutId);
    if (!row?.sealed) return false;
    const reopened = this.reopen(row);
    const parcel = this.recall(reopened, row, row.sealed);
    void this.send(reopened, { ...parcel, since: this.options.clock.now(), attemptsBefore: row.attempts });
    return true;
  }

  private remember(row: RememberedRow): void {
    this.memory.finish(this.memory.ledger.add(rememberedRecord(row)));
  }

  private reopen(row: UnfinishedRow): RolloutRecord {
    return this.memory.ledger.add(reopenedRecord(row));
  }

  private async resume(row: UnfinishedRow, record: RolloutRecord): Promise<void> {
    try {
      if (row.sealed) return await this.send(record, this.recall(record, row, row.sealed));
      if (row.startedAt === null) return await this.runQueued(record, row);
      const messages = await this.knownConversation(row);
      await this.fail(record, this.requestOf(row), new OsmosisError('SHUTDOWN', INTERRUPTED), messages);
    } catch (error) {
      this.logger.error(`rollout ${JSON.stringify(row.rolloutId)} cannot be taken up: ${describeThrown(error)}`);
      this.memory.discard(record);
    }
  }

  /** What was sealed before. */
  private recall(record: RolloutRecord, row: UnfinishedRow, { sealedAt, summary, url, body }: SealedRow): Parcel {
    record.sealedAt = sealedAt;
    record.summary = JSON.parse(summary) as OutcomeSummary;
    const parcel = newParcel(row.rolloutId, this.requestOf(row).trainer, { url, body }, sealedAt);
    return { ...parcel, attempts: row.attempts, stored: true };
  }

  private send(record: RolloutRecord, parcel: Parcel): Promise<void> {
    record.state = 'delivering';
    record.delivery = null;
    record.parcel = parcel;
    return this.pipeline.send(record);
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
    await this.pipeline.seal(record, request.trainer, failedOutcome(record.rolloutId, failure, messages));
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

const INTERRUPTED = 'The server that ran the rollout ended before the rollout did. Send it again under a new id.';
