import { Inject, Injectable } from '@nestjs/common';
import { OsmosisError } from '#domain';
import { RolloutMemory } from './rollout.memory.js';
import { ROLLOUT_OPTIONS, type RolloutModuleOptions } from './rollout.options.js';
import type { RolloutRecord } from './rollout.record.js';
import { RolloutRecovery } from './rollout.recovery.js';
import { viewOfRecord, viewOfStored, type RolloutView } from './rollout.view.js';
import { ROLLOUT_STORE, type RolloutFilter, type RolloutStore } from './store/index.js';

/** Which rollouts are meant: by id or by the beginning of their ids, of one dialect or of all. */
export interface RolloutChoice {
  readonly ids?: readonly string[];
  readonly prefix?: string;
  readonly dialect?: string;
}

/** Looking at rollouts, and ending them before their time. */
@Injectable()
export class RolloutControl {
  constructor(
    private readonly memory: RolloutMemory,
    private readonly recovery: RolloutRecovery,
    @Inject(ROLLOUT_STORE) private readonly store: RolloutStore,
    @Inject(ROLLOUT_OPTIONS) private readonly options: RolloutModuleOptions,
  ) {}

  /** @throws OsmosisError ROLLOUT_NOT_FOUND */
  async get(rolloutId: string): Promise<RolloutView> {
    const record = this.memory.ledger.get(rolloutId);
    const stored = await this.store.get(rolloutId).catch((error: unknown) => {
      // A store that fails hides nothing that is known without it.
      if (record?.summary || record?.work) return undefined;
      throw error;
    });
    // What the store has is of a write ago; what the engine has is of now, but without the failures of deliveries.
    if (record && (record.state !== 'done' || record.summary || !stored)) {
      const view = viewOfRecord(record, this.options.clock.now());
      return view.delivery && stored ? { ...view, delivery: { ...view.delivery, failures: stored.attempts } } : view;
    }
    if (stored) return viewOfStored(stored);
    throw notFound(rolloutId);
  }

  /** In the order of acceptance. */
  async list(filter: RolloutFilter): Promise<readonly RolloutView[]> {
    const now = this.options.clock.now();
    if (!this.store.persistent) return this.listRecords(filter, now);
    return (await this.store.list(filter)).map((stored) => {
      const record = this.memory.ledger.get(stored.rolloutId);
      return record && record.state !== 'done' ? viewOfRecord(record, now) : viewOfStored(stored);
    });
  }

  /**
   * Cancels a rollout: the model call, the tools and the rewards are told, and it ends as ERROR with failure class
   * `cancelled`. One that is sealed already stays what it is.
   *
   * @throws OsmosisError ROLLOUT_NOT_FOUND
   */
  async cancel(rolloutId: string): Promise<RolloutView> {
    const record = this.memory.ledger.get(rolloutId);
    if (record && record.state !== 'done') cancel(record);
    return this.get(rolloutId);
  }

  /** Cancels every rollout in work whose id begins with the prefix. Gives their ids. */
  cancelAll(prefix = ''): readonly string[] {
    return [...this.cancelNow({ prefix }).keys()];
  }

  /** Cancels the chosen rollouts in work, and says of each whether it had begun. Others are not in the answer. */
  async cancelChosen(choice: RolloutChoice): Promise<ReadonlyMap<string, 'queued' | 'running'>> {
    return this.cancelNow(choice);
  }

  /**
   * Tries again to deliver a dead letter.
   *
   * @throws OsmosisError ROLLOUT_NOT_FOUND when no rollout of that id has one
   */
  async redeliver(rolloutId: string): Promise<RolloutView> {
    if (await this.recovery.redeliver(rolloutId)) return this.get(rolloutId);
    throw new OsmosisError('ROLLOUT_NOT_FOUND', `Rollout ${JSON.stringify(rolloutId)} has no undelivered completion.`);
  }

  private cancelNow({ ids, prefix = '', dialect }: RolloutChoice): ReadonlyMap<string, 'queued' | 'running'> {
    const { ledger } = this.memory;
    const known = ids ? ids.flatMap((id) => ledger.get(id) ?? []) : [...ledger.active()];
    const cancelled = new Map<string, 'queued' | 'running'>();
    for (const record of known) {
      if (!record.rolloutId.startsWith(prefix) || (dialect !== undefined && record.dialect !== dialect)) continue;
      const was = record.state === 'queued' ? 'queued' : 'running';
      if (record.state !== 'done' && cancel(record)) cancelled.set(record.rolloutId, was);
    }
    return cancelled;
  }

  private listRecords({ status, agent, after, limit }: RolloutFilter, now: number): RolloutView[] {
    const views: RolloutView[] = [];
    let seen = after === undefined || !this.memory.ledger.get(after);
    for (const record of this.memory.ledger.all()) {
      if (seen && views.length < limit && (agent === undefined || record.agent === agent)) {
        const view = viewOfRecord(record, now);
        if (matches(view, status)) views.push(view);
      }
      seen ||= record.rolloutId === after;
    }
    return views;
  }
}

function cancel(record: RolloutRecord): boolean {
  if (record.sealedAt !== null || record.cancellation.reason) return false;
  record.cancellation.cancel(new OsmosisError('CANCELLED', 'The rollout was cancelled on request.'));
  return true;
}

function matches(view: RolloutView, status: string | undefined): boolean {
  if (status === undefined) return true;
  if (status === 'dead') return view.delivery?.state === 'dead';
  if (status === 'running') return view.state === 'running' || view.state === 'scoring';
  return view.state === status || view.status === status;
}

function notFound(rolloutId: string): OsmosisError {
  return new OsmosisError('ROLLOUT_NOT_FOUND', `There is no rollout ${JSON.stringify(rolloutId)}, or it is forgotten.`);
}
