import { Inject, Injectable } from '@nestjs/common';
import { LagWatchdog } from '#agent';
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
    private readonly watchdog: LagWatchdog,
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
    const overload = this.overload();
    if (overload) throw new OsmosisError('OVERLOADED', `${overload}; try again later.`, { details });
  }

  private overload(): string | null {
    const { queueLength, hasFreeSlot } = this.memory;
    const { maxQueued, maxLagMs } = this.options;
    if (!hasFreeSlot && queueLength >= maxQueued) {
      return `${queueLength} rollouts wait for a slot (rollouts.maxQueued)`;
    }
    const lagMs = this.watchdog.lagMs;
    return lagMs > maxLagMs ? `the event loop was blocked for ${Math.round(lagMs)} ms (rollouts.maxLagMs)` : null;
  }
}
