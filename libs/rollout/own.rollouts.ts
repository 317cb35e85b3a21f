import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { OsmosisError } from '#domain';
import type { CrewQuestions } from './crew/crew.js';
import { RolloutMemory, type RolloutLoad } from './rollout.memory.js';
import { ROLLOUT_OPTIONS, type RolloutModuleOptions } from './rollout.options.js';
import type { RolloutRecord } from './rollout.record.js';
import { RolloutRecovery } from './rollout.recovery.js';
import { viewOfRecord, type RolloutView } from './rollout.view.js';

/** Which rollouts are meant: by id or by the beginning of their ids, of one dialect or of all. */
export interface RolloutChoice {
  readonly ids?: readonly string[];
  readonly prefix?: string;
  readonly dialect?: string;
}

/** The rollouts of this process: all there are, or those of one worker of several, which answers the others here. */
@Injectable()
export class OwnRollouts implements CrewQuestions, OnApplicationBootstrap {
  constructor(
    private readonly memory: RolloutMemory,
    private readonly recovery: RolloutRecovery,
    @Inject(ROLLOUT_OPTIONS) private readonly options: RolloutModuleOptions,
  ) {}

  onApplicationBootstrap(): void {
    this.options.crew?.join(this);
  }

  views(rolloutIds: readonly string[]): RolloutView[] {
    const now = this.options.clock.now();
    return rolloutIds.flatMap((rolloutId) => {
      const record = this.memory.ledger.get(rolloutId);
      return record && record.state !== 'done' ? viewOfRecord(record, now) : [];
    });
  }

  /** Others are not in the answer. */
  cancel({ ids, prefix = '', dialect }: RolloutChoice): ReadonlyMap<string, 'queued' | 'running'> {
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

  load(): RolloutLoad {
    return this.memory.load;
  }

  redeliver(rolloutId: string): Promise<boolean> {
    return this.recovery.redeliver(rolloutId);
  }

  takeUp(members: readonly string[]): Promise<void> {
    return this.recovery.takeUp(members);
  }
}

function cancel(record: RolloutRecord): boolean {
  if (record.sealedAt !== null || record.cancellation.reason) return false;
  record.cancellation.cancel(new OsmosisError('CANCELLED', 'The rollout was cancelled on request.'));
  return true;
}
