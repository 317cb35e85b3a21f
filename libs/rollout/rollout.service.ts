import { Inject, Injectable, Logger, type BeforeApplicationShutdown, type OnModuleDestroy } from '@nestjs/common';
import { AgentRegistry, ToolSelection } from '#agent';
import { InvocationScope } from '#discovery';
import { Cancellation, describeThrown, OsmosisError, sleep, type RolloutOutcome, type RolloutRequest } from '#domain';
import { DeliveryService } from './delivery.service.js';
import { renderSafely } from './outcome.renderer.js';
import { RolloutLedger } from './rollout.ledger.js';
import { ROLLOUT_OPTIONS, type RolloutModuleOptions } from './rollout.options.js';
import { fingerprintOf, type AcceptedRollout, type RolloutRecord, type RolloutWork } from './rollout.record.js';
import { RolloutRunner } from './rollout.runner.js';
import { RolloutSlots } from './rollout.slots.js';
import { failedBeforeRunning, oneLine } from './rollout.summary.js';
import { TrainerRegistry } from './trainer.registry.js';

/** The engine: accept → run → score → seal → deliver. Speaks no wire; dialects hand it requests and render its outcomes. */
@Injectable()
export class RolloutService implements OnModuleDestroy, BeforeApplicationShutdown {
  private readonly logger = new Logger('Rollout');
  private readonly ledger: RolloutLedger;
  private readonly slots: RolloutSlots;
  private draining = false;
  private idle: (() => void) | null = null;
  private stopPruning: () => void = () => {};

  constructor(
    private readonly agents: AgentRegistry,
    private readonly selection: ToolSelection,
    private readonly runner: RolloutRunner,
    private readonly trainers: TrainerRegistry,
    private readonly delivery: DeliveryService,
    @Inject(ROLLOUT_OPTIONS) private readonly options: RolloutModuleOptions,
  ) {
    this.ledger = new RolloutLedger(options.recordTtlMs, options.maxRecords);
    this.slots = new RolloutSlots(options.maxConcurrent);
    this.schedulePruning();
  }

  /** Rollouts accepted and not yet finished, those that wait for a slot included. */
  get activeCount(): number {
    return this.ledger.activeCount;
  }

  /** Finished rollouts that are still remembered. */
  get completedCount(): number {
    return this.ledger.finishedCount;
  }

  /**
   * Accepts a request and starts its rollout, or repeats the answer that the same request got before.
   *
   * @throws OsmosisError DUPLICATE_CONFLICT for another request under a known id, OVERLOADED when too many wait, DRAINING
   *   while the server stops, AGENT_NOT_FOUND, and whatever the agent's `getTools` throws
   */
  async accept(request: RolloutRequest): Promise<AcceptedRollout> {
    const fingerprint = fingerprintOf(request);
    const earlier = this.ledger.find(request);
    if (earlier) return this.repeat(earlier, request, fingerprint);
    this.requireCapacity();
    const record = this.ledger.open(request, fingerprint);
    record.accepted = this.start(record, request);
    try {
      return await record.accepted;
    } catch (error) {
      this.ledger.discard(record);
      throw error;
    }
  }

  onModuleDestroy(): void {
    this.draining = true;
    this.stopPruning();
  }

  /** Running rollouts get the grace; what is left ends as ERROR, and its trainer is told. */
  async beforeApplicationShutdown(): Promise<void> {
    this.draining = true;
    const { clock, shutdownGraceMs } = this.options;
    const done = this.whenIdle();
    await Promise.race([done, sleep(clock, shutdownGraceMs)]);
    const reason = new OsmosisError('SHUTDOWN', 'The server is stopping and the rollout did not end in time.');
    for (const record of this.ledger.active()) record.work?.cancellation.cancel(reason);
    await this.delivery.drain(shutdownGraceMs);
    await done;
  }

  private async repeat(record: RolloutRecord, request: RolloutRequest, fingerprint: string): Promise<AcceptedRollout> {
    if (record.fingerprint !== fingerprint) {
      const id = JSON.stringify(request.rolloutId);
      throw new OsmosisError(
        'DUPLICATE_CONFLICT',
        `Another request was already accepted under rollout_id or idempotency_key of ${id}; send a new id for new content.`,
      );
    }
    return { ...(await record.accepted!), duplicate: true };
  }

  private requireCapacity(): void {
    if (this.draining) throw new OsmosisError('DRAINING', 'The server is stopping; send the request to another one.');
    if (this.slots.waitingCount >= this.options.maxQueued) {
      throw new OsmosisError(
        'OVERLOADED',
        `${this.slots.waitingCount} rollouts wait for a slot (rollouts.maxQueued); try again later.`,
        { details: { retryAfterSeconds: 5 } },
      );
    }
  }

  private async start(record: RolloutRecord, request: RolloutRequest): Promise<AcceptedRollout> {
    const agent = this.agents.get(request.agent);
    const scope = new InvocationScope(request);
    const tools = await this.selection.select(agent, request, scope);
    record.work = { request, agent, tools, scope, cancellation: new Cancellation() };
    void this.process(record, record.work);
    return { rolloutId: request.rolloutId, tools: tools.definitions, toolsJson: tools.json, duplicate: false };
  }

  /** The straight line. Must not throw: nobody waits for it. */
  private async process(record: RolloutRecord, work: RolloutWork): Promise<void> {
    const { clock, deadlineMs } = this.options;
    const stopDeadline = clock.after(deadlineMs, () => work.cancellation.cancel(deadlineReached(record, deadlineMs)));
    try {
      const outcome = await this.runInSlot(record, work);
      stopDeadline();
      record.state = 'delivering';
      record.status = outcome.status;
      this.logger.log(oneLine(work, outcome));
      const trainer = this.trainers.get(work.request.trainer.dialect);
      await this.delivery.deliver(trainer, work.request, renderSafely(trainer, work.request, outcome));
    } catch (error) {
      this.logger.error(`rollout ${JSON.stringify(record.rolloutId)}: ${describeThrown(error)}`);
    } finally {
      stopDeadline();
      record.state = 'done';
      record.work = null;
      this.ledger.finish(record, clock.now());
      if (this.ledger.activeCount === 0) this.idle?.();
    }
  }

  /** The slot is given back before the outcome is delivered. */
  private async runInSlot(record: RolloutRecord, work: RolloutWork): Promise<RolloutOutcome> {
    try {
      if (!this.slots.tryAcquire()) await this.slots.acquire(work.cancellation);
    } catch (error) {
      return failedBeforeRunning(work, error);
    }
    try {
      record.state = 'running';
      const model = this.trainers.get(work.request.trainer.dialect).openChat(work.request);
      return await this.runner.run(work, model, () => (record.state = 'scoring'));
    } catch (error) {
      return failedBeforeRunning(work, error);
    } finally {
      this.slots.release();
    }
  }

  private whenIdle(): Promise<void> {
    if (this.ledger.activeCount === 0) return Promise.resolve();
    return new Promise((resolve) => (this.idle = resolve));
  }

  private schedulePruning(): void {
    const { clock, cleanupIntervalMs } = this.options;
    this.stopPruning = clock.after(cleanupIntervalMs, () => {
      this.ledger.prune(clock.now());
      this.schedulePruning();
    });
  }
}

function deadlineReached(record: RolloutRecord, deadlineMs: number): OsmosisError {
  const doing = record.state === 'queued' ? 'waiting for a slot' : record.state;
  return new OsmosisError(
    'DEADLINE',
    `The rollout did not end within its deadline of ${deadlineMs} ms (timeout; rollouts.deadlineMs); it was ${doing}.`,
  );
}
