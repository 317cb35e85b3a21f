import { Inject, Injectable } from '@nestjs/common';
import { OsmosisError } from '#domain';
import { OwnRollouts, type RolloutChoice } from './own.rollouts.js';
import { RolloutMemory } from './rollout.memory.js';
import { ROLLOUT_OPTIONS, type RolloutModuleOptions } from './rollout.options.js';
import type { RolloutRecord } from './rollout.record.js';
import { viewOfRecord, viewOfStored, type RolloutView } from './rollout.view.js';
import { ROLLOUT_STORE, type RolloutFilter, type RolloutStore, type StoredRollout } from './store/index.js';

/** Looking at rollouts, and ending them before their time: those of the whole server, whichever worker has them. */
@Injectable()
export class RolloutControl {
  constructor(
    private readonly memory: RolloutMemory,
    private readonly own: OwnRollouts,
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
    const view = await this.viewOfNow(rolloutId, record, stored);
    if (view)
      return view.delivery && stored ? { ...view, delivery: { ...view.delivery, failures: stored.attempts } } : view;
    if (stored) return viewOfStored(stored);
    throw notFound(rolloutId);
  }

  /** In the order of acceptance. */
  async list(filter: RolloutFilter): Promise<readonly RolloutView[]> {
    const now = this.options.clock.now();
    if (!this.store.persistent) return this.listRecords(filter, now);
    const listed = await this.store.list(filter);
    const unfinished = listed.filter(({ state }) => state !== 'done').map(({ rolloutId }) => rolloutId);
    const elsewhere = new Map((await this.viewsElsewhere(unfinished)).map((view) => [view.rolloutId, view]));
    return listed.map((stored) => {
      const record = this.memory.ledger.get(stored.rolloutId);
      if (record && record.state !== 'done') return viewOfRecord(record, now);
      return elsewhere.get(stored.rolloutId) ?? viewOfStored(stored);
    });
  }

  /**
   * Cancels a rollout: the model call, the tools and the rewards are told, and it ends as ERROR with failure class
   * `cancelled`. One that is sealed already stays what it is.
   *
   * @throws OsmosisError ROLLOUT_NOT_FOUND
   */
  async cancel(rolloutId: string): Promise<RolloutView> {
    await this.cancelChosen({ ids: [rolloutId] });
    return this.get(rolloutId);
  }

  /** Cancels every rollout in work whose id begins with the prefix. Gives their ids. */
  async cancelAll(prefix = ''): Promise<readonly string[]> {
    return [...(await this.cancelChosen({ prefix })).keys()];
  }

  /** Cancels the chosen rollouts in work, and says of each whether it had begun. Others are not in the answer. */
  async cancelChosen(choice: RolloutChoice): Promise<ReadonlyMap<string, 'queued' | 'running'>> {
    const elsewhere = this.options.crew?.ask('cancel', choice);
    const own = this.own.cancel(choice);
    return elsewhere ? new Map([own, ...(await elsewhere)].flatMap((cancelled) => [...cancelled])) : own;
  }

  /**
   * Tries again to deliver a dead letter.
   *
   * @throws OsmosisError ROLLOUT_NOT_FOUND when no rollout of that id has one
   */
  async redeliver(rolloutId: string): Promise<RolloutView> {
    const isFound =
      (await this.own.redeliver(rolloutId)) ||
      (await this.options.crew?.ask('redeliver', rolloutId))?.includes(true) === true;
    if (isFound) return this.get(rolloutId);
    throw new OsmosisError('ROLLOUT_NOT_FOUND', `Rollout ${JSON.stringify(rolloutId)} has no undelivered completion.`);
  }

  /** An engine knows how things are now, but not the failures of deliveries; the store is a write behind. */
  private async viewOfNow(
    rolloutId: string,
    record: RolloutRecord | undefined,
    stored: StoredRollout | undefined,
  ): Promise<RolloutView | undefined> {
    const isInWork = record !== undefined && record.state !== 'done';
    if (this.options.crew && !isInWork) {
      // Another worker may have taken it up since this one was done with it.
      if (stored?.state === 'done') return undefined;
      const [view] = await this.viewsElsewhere([rolloutId]);
      if (view) return view;
    }
    const isKnown = record && (isInWork || record.summary || !stored);
    return isKnown ? viewOfRecord(record, this.options.clock.now()) : undefined;
  }

  private async viewsElsewhere(rolloutIds: readonly string[]): Promise<readonly RolloutView[]> {
    const { crew } = this.options;
    return crew && rolloutIds.length > 0 ? (await crew.ask('views', rolloutIds)).flat() : [];
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

function matches(view: RolloutView, status: string | undefined): boolean {
  if (status === undefined) return true;
  if (status === 'dead') return view.delivery?.state === 'dead';
  if (status === 'running') return view.state === 'running' || view.state === 'scoring';
  return view.state === status || view.status === status;
}

function notFound(rolloutId: string): OsmosisError {
  return new OsmosisError('ROLLOUT_NOT_FOUND', `There is no rollout ${JSON.stringify(rolloutId)}, or it is forgotten.`);
}
