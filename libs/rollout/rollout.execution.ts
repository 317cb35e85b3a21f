import { Inject, Injectable } from '@nestjs/common';
import { failureOf, type RolloutOutcome } from '#domain';
import { failedInQueue, failedOutcome } from './outcome.summary.js';
import { RolloutAnnouncer } from './rollout.announcer.js';
import { RolloutBudget } from './rollout.budget.js';
import { RolloutMemory } from './rollout.memory.js';
import { ROLLOUT_OPTIONS, type RolloutModuleOptions } from './rollout.options.js';
import type { RolloutRecord, RolloutWork } from './rollout.record.js';
import { RolloutRunner } from './rollout.runner.js';
import { ROLLOUT_STORE, type RolloutStore } from './store/index.js';
import { TrainerRegistry } from './trainer.registry.js';

/**
 * Runs an accepted rollout in a slot, within its time.
 *
 * Its methods are not `async`: a suspended function takes half a kilobyte, a thirtieth of what a waiting rollout holds and
 * the collector copies.
 */
@Injectable()
export class RolloutExecution {
  constructor(
    private readonly memory: RolloutMemory,
    private readonly runner: RolloutRunner,
    private readonly trainers: TrainerRegistry,
    private readonly announcer: RolloutAnnouncer,
    @Inject(ROLLOUT_STORE) private readonly store: RolloutStore,
    @Inject(ROLLOUT_OPTIONS) private readonly options: RolloutModuleOptions,
  ) {}

  /** Waits for a slot, and runs. Every way to end gives an outcome: it never rejects. */
  run(record: RolloutRecord, work: RolloutWork): Promise<RolloutOutcome> {
    const budget = new RolloutBudget(record, work, this.options);
    const { slots } = this.memory;
    try {
      budget.start();
      work.cancellation.throwIfCancelled();
      if (slots.tryAcquire()) return this.runInSlot(record, work, budget);
    } catch (error) {
      return Promise.resolve(leftQueue(record, budget, error));
    }
    return slots.acquire(work.cancellation).then(
      () => this.runInSlot(record, work, budget),
      (error: unknown) => leftQueue(record, budget, error),
    );
  }

  private runInSlot(record: RolloutRecord, work: RolloutWork, budget: RolloutBudget): Promise<RolloutOutcome> {
    const leave = (outcome: RolloutOutcome): RolloutOutcome => {
      // Before the outcome is delivered: a trainer that is down holds up no other rollout.
      this.memory.slots.release();
      budget.stop();
      return outcome;
    };
    const fail = (error: unknown): RolloutOutcome =>
      leave(failedOutcome(record.rolloutId, failureOf(error, 'agent'), []));
    try {
      budget.gotSlot();
      return this.start(record, work, budget).then((outcome) => leave(budget.judge(outcome)), fail);
    } catch (error) {
      return Promise.resolve(fail(error));
    }
  }

  private start(record: RolloutRecord, work: RolloutWork, budget: RolloutBudget): Promise<RolloutOutcome> {
    record.state = 'running';
    record.startedAt = this.options.clock.now();
    this.store.started(record.rolloutId, record.startedAt);
    const { request } = work;
    const model = this.trainers.get(request.trainer.dialect).openChat(request);
    return this.runner.run(work, model, {
      ran: (outcome) => {
        budget.ran();
        record.state = 'scoring';
        if (this.announcer.serves(request)) this.announcer.ran(record, request, outcome());
      },
    });
  }
}

function leftQueue(record: RolloutRecord, budget: RolloutBudget, error: unknown): RolloutOutcome {
  budget.stop();
  return failedInQueue(record.rolloutId, error);
}
