import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { ToolSet } from '#agent';
import { OsmosisError, type RolloutRequest } from '#domain';
import { RolloutAdmission } from './rollout.admission.js';
import { RolloutMemory, type RolloutLoad } from './rollout.memory.js';
import { ROLLOUT_OPTIONS, type RolloutModuleOptions } from './rollout.options.js';
import { RolloutPipeline } from './rollout.pipeline.js';
import { RolloutPreparation } from './rollout.preparation.js';
import { fingerprintOf, RolloutRecord, type AcceptedRollout, type RolloutWork } from './rollout.record.js';
import { encodeKeys, encodeRequest } from './request.codec.js';
import { rememberedRecord } from './rollout.recall.js';
import {
  KeyBox,
  ROLLOUT_STORE,
  type AcceptedRow,
  type RememberedRow,
  type RolloutCounts,
  type RolloutStore,
} from './store/index.js';
import { TurnBatch } from './turn.batch.js';

/**
 * While many rollouts come, accepting them goes before starting them: with all of a turn started at once, the last of
 * 16,000 inits over 1,000 connections is answered after 3.4 s and not 1.5 with SQLite, and 4,096 rollouts in flight take
 * 5 % more CPU. On a host half as fast it takes 2.7 s, and 3.8 where none waits for longer than a second: what runs then
 * takes its part from those that are not accepted yet.
 */
const STARTS = { most: 16, longestWaitMs: 4_000 };

/** The engine's front: accepts requests, or repeats what was said to them before. Speaks no wire. */
@Injectable()
export class RolloutService implements OnModuleInit {
  private keys: KeyBox | null = null;
  /** Accepted rollouts start at the end of the turn, so that their answers go first. */
  private readonly starts: TurnBatch<RolloutRecord>;

  constructor(
    private readonly preparation: RolloutPreparation,
    private readonly memory: RolloutMemory,
    private readonly admission: RolloutAdmission,
    private readonly pipeline: RolloutPipeline,
    @Inject(ROLLOUT_STORE) private readonly store: RolloutStore,
    @Inject(ROLLOUT_OPTIONS) private readonly options: RolloutModuleOptions,
  ) {
    this.starts = new TurnBatch((record) => this.run(record), { ...STARTS, clock: options.clock });
  }

  /** Rollouts accepted and not yet finished, those that wait for a slot included. */
  get activeCount(): number {
    return this.memory.ledger.activeCount;
  }

  /** Finished rollouts that are still remembered. */
  get completedCount(): number {
    return this.memory.ledger.finishedCount;
  }

  /** How busy the whole server is, whichever of its workers is asked. */
  async load(): Promise<RolloutLoad> {
    const others = (await this.options.crew?.ask('load')) ?? [];
    return others.reduce(sumOf, this.memory.load);
  }

  /** Both counts, of the whole server. */
  async counts(): Promise<RolloutCounts> {
    const own = { active: this.activeCount, completed: this.completedCount };
    if (!this.options.crew) return own;
    const since = this.options.clock.now() - this.options.recordTtlMs;
    // A store that cannot be read makes no server unhealthy.
    return (await this.store.counts(since).catch(() => undefined)) ?? own;
  }

  async onModuleInit(): Promise<void> {
    if (this.store.persistent) this.keys = await KeyBox.open(this.options.dataDir);
  }

  /**
   * Accepts a request and starts its rollout, or repeats the answer that the same request got before. With a persistent
   * store the rollout is on disk when this resolves.
   *
   * @throws OsmosisError DUPLICATE_CONFLICT for another request under a known id, OVERLOADED when too many wait, DRAINING
   *   while the server stops, STORE_UNAVAILABLE, AGENT_NOT_FOUND, DEADLINE when the agent's `getTools` does not end, and
   *   whatever it throws
   */
  async accept(request: RolloutRequest): Promise<AcceptedRollout> {
    const fingerprint = fingerprintOf(request);
    const earlier = this.memory.ledger.find(request);
    if (earlier) return repeat(earlier, request, fingerprint);
    try {
      this.admission.admit();
    } catch (refusal) {
      return this.repeatAnother(request, fingerprint, refusal);
    }
    const record = this.memory.ledger.add(RolloutRecord.of(request, fingerprint));
    record.acceptedAt = this.options.clock.now();
    this.memory.arriving++;
    record.accepted = this.start(record, request);
    try {
      const accepted = await record.accepted;
      // Another worker has it.
      if (accepted.duplicate) this.memory.discard(record);
      return accepted;
    } catch (error) {
      this.memory.discard(record);
      throw error;
    }
  }

  private async start(record: RolloutRecord, request: RolloutRequest): Promise<AcceptedRollout> {
    let work: RolloutWork;
    let earlier: RememberedRow | undefined;
    try {
      const prepared = this.preparation.prepare(request, record.cancellation);
      work = prepared instanceof Promise ? await prepared : prepared;
      record.acceptedAt = this.options.clock.now();
      if (this.keys) earlier = await this.store.accepted(this.toRow(record, request, work.tools, this.keys));
    } catch (error) {
      this.memory.arriving--;
      throw error;
    }
    if (earlier) {
      this.memory.arriving--;
      return repeat(rememberedRecord(earlier), request, record.fingerprint);
    }
    record.work = work;
    this.starts.add(record);
    const { definitions, json } = work.tools;
    return { rolloutId: request.rolloutId, tools: definitions, toolsJson: json, duplicate: false };
  }

  private run(record: RolloutRecord): void {
    this.memory.arriving--;
    if (record.work) void this.pipeline.process(record, record.work);
  }

  /** A worker that takes nothing new still repeats what another one has said. */
  private async repeatAnother(
    request: RolloutRequest,
    fingerprint: string,
    refusal: unknown,
  ): Promise<AcceptedRollout> {
    const { rolloutId, idempotencyKey } = request;
    const now = this.options.clock.now();
    const earlier = this.options.crew && (await this.store.earlier(rolloutId, idempotencyKey, now));
    if (!earlier) throw refusal;
    return repeat(rememberedRecord(earlier), request, fingerprint);
  }

  private toRow(record: RolloutRecord, request: RolloutRequest, tools: ToolSet, keys: KeyBox): AcceptedRow {
    const { rolloutId, idempotencyKey, fingerprint, agent, dialect, acceptedAt } = record;
    const secret = encodeKeys(request.trainer);
    return {
      rolloutId,
      idempotencyKey,
      fingerprint,
      agent,
      dialect,
      acceptedAt,
      request: encodeRequest(request),
      apiKey: secret && keys.close(secret),
      tools: tools.json,
    };
  }
}

function sumOf(a: RolloutLoad, b: RolloutLoad): RolloutLoad {
  return {
    running: a.running + b.running,
    queued: a.queued + b.queued,
    maxConcurrent: a.maxConcurrent + b.maxConcurrent,
  };
}

async function repeat(record: RolloutRecord, request: RolloutRequest, fingerprint: string): Promise<AcceptedRollout> {
  if (record.fingerprint === fingerprint && record.accepted) return { ...(await record.accepted), duplicate: true };
  throw new OsmosisError(
    'DUPLICATE_CONFLICT',
    `Another request was already accepted under the rollout_id or idempotency_key of ${JSON.stringify(request.rolloutId)}; ` +
      'send a new id for new content.',
  );
}
