import { Inject, Injectable } from '@nestjs/common';
import { OsmosisError } from '#domain';
import { RolloutMemory } from './rollout.memory.js';
import { ROLLOUT_OPTIONS, type RolloutModuleOptions } from './rollout.options.js';
import { ROLLOUT_STORE, type RolloutStore } from './store/index.js';

/** What a refused trainer is asked to wait, in seconds. */
const RETRY_AFTER_SECONDS = 5;

/** Decides whether the server takes another rollout. What it takes, it keeps: better to say no early than to lose. */
@Injectable()
export class RolloutAdmission {
  private draining = false;

  constructor(
    private readonly memory: RolloutMemory,
    @Inject(ROLLOUT_STORE) private readonly store: RolloutStore,
    @Inject(ROLLOUT_OPTIONS) private readonly options: RolloutModuleOptions,
  ) {}

  get isDraining(): boolean {
    return this.draining;
  }

  /** Why the server is not ready for inits; null when it is. */
  get obstacle(): string | null {
    if (this.draining) return 'the server is stopping';
    const { fault } = this.store;
    return fault ? `the rollout store cannot be written: ${fault.message}` : null;
  }

  stop(): void {
    this.draining = true;
  }

  /** @throws OsmosisError DRAINING or OVERLOADED, both with what to wait */
  admit(): void {
    const details = { retryAfterSeconds: RETRY_AFTER_SECONDS };
    if (this.draining) {
      throw new OsmosisError('DRAINING', 'The server is stopping; send the request to another one.', { details });
    }
    const { waitingCount } = this.memory.slots;
    const { maxQueued } = this.options;
    if (waitingCount < maxQueued || (maxQueued === 0 && this.memory.slots.freeCount > 0)) return;
    const text = `${waitingCount} rollouts wait for a slot (rollouts.maxQueued); try again later.`;
    throw new OsmosisError('OVERLOADED', text, { details });
  }
}
