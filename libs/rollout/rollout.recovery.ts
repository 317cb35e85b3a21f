import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import {
  describeThrown,
  failureOf,
  OsmosisError,
  type ChatMessage,
  type RolloutRequest,
  type ToolDefinition,
} from '#domain';
import type { OutcomeSummary } from './outcome.summary.js';
import { failedOutcome } from './outcome.summary.js';
import { newParcel } from './parcel.js';
import { decodeRequest } from './request.codec.js';
import { RolloutMemory } from './rollout.memory.js';
import { ROLLOUT_OPTIONS, type RolloutModuleOptions } from './rollout.options.js';
import { RolloutPipeline } from './rollout.pipeline.js';
import { RolloutRecord } from './rollout.record.js';
import { RolloutService } from './rollout.service.js';
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
    private readonly rollouts: RolloutService,
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

  /** A dead letter gets another chance. Undefined when there is none of that id. */
  async redeliver(rolloutId: string): Promise<boolean> {
    const record = this.memory.ledger.get(rolloutId);
    if (record?.parcel?.dead) {
      await this.store.revive(rolloutId);
      record.parcel = newParcel(rolloutId, record.parcel.address, record.parcel.message, this.options.clock.now());
      this.memory.ledger.reopen(record);
      record.state = 'delivering';
      void this.pipeline.send(record);
      return true;
    }
    const row = record && record.state !== 'done' ? undefined : await this.store.revive(rolloutId);
    if (!row?.sealed) return false;
    void this.resumeSealed(this.reopen(row), row, { ...row.sealed, sealedAt: this.options.clock.now() });
    return true;
  }

  private remember(row: RememberedRow): void {
    const record = new RolloutRecord(row.rolloutId, row.idempotencyKey, row.fingerprint, '', '');
    this.answerAsBefore(record, row.tools);
    record.state = 'done';
    record.endedAt = row.endedAt;
    this.memory.ledger.add(record);
    this.memory.finish(record);
  }

  private reopen(row: UnfinishedRow): RolloutRecord {
    const record = new RolloutRecord(row.rolloutId, row.idempotencyKey, row.fingerprint, row.agent, row.dialect);
    record.acceptedAt = row.acceptedAt;
    record.startedAt = row.startedAt;
    this.answerAsBefore(record, row.tools);
    return this.memory.ledger.add(record);
  }

  private answerAsBefore(record: RolloutRecord, toolsJson: string): void {
    const { rolloutId } = record;
    let tools: readonly ToolDefinition[] | undefined;
    record.accepted = Promise.resolve({
      rolloutId,
      toolsJson,
      duplicate: true,
      get tools() {
        return (tools ??= JSON.parse(toolsJson) as ToolDefinition[]);
      },
    });
  }

  private async resume(row: UnfinishedRow, record: RolloutRecord): Promise<void> {
    try {
      if (row.sealed) return await this.resumeSealed(record, row, row.sealed);
      if (row.startedAt === null) return await this.runQueued(record, row);
      const messages = await this.knownConversation(row);
      await this.fail(record, this.requestOf(row), new OsmosisError('SHUTDOWN', INTERRUPTED), messages);
    } catch (error) {
      this.logger.error(`rollout ${JSON.stringify(row.rolloutId)} cannot be taken up: ${describeThrown(error)}`);
      this.memory.discard(record);
    }
  }

  private async resumeSealed(record: RolloutRecord, row: UnfinishedRow, sealed: SealedRow): Promise<void> {
    const { trainer } = this.requestOf(row);
    record.state = 'delivering';
    record.sealedAt = sealed.sealedAt;
    record.summary = JSON.parse(sealed.summary) as OutcomeSummary;
    const message = { url: sealed.url, body: sealed.body };
    record.parcel = { ...newParcel(row.rolloutId, trainer, message, sealed.sealedAt), attempts: row.attempts };
    await this.pipeline.send(record);
  }

  private async runQueued(record: RolloutRecord, row: UnfinishedRow): Promise<void> {
    const request = this.requestOf(row);
    try {
      record.work = await this.rollouts.prepare(request);
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
