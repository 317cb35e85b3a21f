import { failureOf, OsmosisError, type Clock, type RolloutOutcome, type Timer } from '#domain';
import { deadlineOf, deadlineReached, phaseDeadlineReached } from './deadline.js';
import type { RolloutModuleOptions } from './rollout.options.js';
import type { RolloutRecord, RolloutWork } from './rollout.record.js';

type BudgetOptions = Pick<RolloutModuleOptions, 'deadlineMs' | 'maxQueueMs' | 'clock'>;

/**
 * The time a rollout may take: one deadline from its acceptance to its last reward, or, where the trainer has set limits,
 * one for the agent, which the wait for a slot uses up, and one for scoring. Running out of it cancels the rollout.
 *
 * Limits also judge what ends too late without having noticed, because it held up the event loop or would not be cancelled.
 */
export class RolloutBudget {
  readonly #clock: Clock;
  #scoringSince: number | null = null;
  #timer: Timer | undefined;
  #queueTimer: Timer | undefined;

  constructor(
    private readonly record: RolloutRecord,
    private readonly work: RolloutWork,
    private readonly options: BudgetOptions,
  ) {
    this.#clock = options.clock;
  }

  /** To be called when the rollout is accepted. */
  start(): void {
    const { record, work } = this;
    const { maxQueueMs } = this.options;
    if (work.request.limits) this.#arm(this.#agentMs - (this.#clock.now() - record.acceptedAt));
    else this.#arm(this.#deadlineMs);
    if (maxQueueMs !== undefined) {
      this.#queueTimer = this.#clock.after(maxQueueMs, () => cancelQueued(record, work, maxQueueMs));
    }
  }

  gotSlot(): void {
    this.#queueTimer?.stop();
  }

  /**
   * The agent has ended well.
   *
   * @throws OsmosisError DEADLINE when that is too late
   */
  ran(): void {
    if (!this.work.request.limits) return;
    this.#timer?.stop();
    // The timer was faster by less than a turn of the event loop.
    this.work.cancellation.throwIfCancelled();
    const now = this.#clock.now();
    if (now - this.record.acceptedAt > this.#agentMs) throw this.#agentTooLate();
    this.#scoringSince = now;
    this.#arm(this.#scoringMs);
  }

  /** The outcome, without the reward when that came too late. */
  judge(outcome: RolloutOutcome): RolloutOutcome {
    const since = this.#scoringSince;
    if (since === null || outcome.reward === null || this.#clock.now() - since <= this.#scoringMs) return outcome;
    return Object.freeze({ ...outcome, reward: null, failure: failureOf(this.#scoringTooLate(), 'reward') });
  }

  stop(): void {
    this.#timer?.stop();
    this.#queueTimer?.stop();
  }

  get #deadlineMs(): number {
    return deadlineOf(this.work.request, this.options.deadlineMs);
  }

  get #agentMs(): number {
    return this.work.request.limits?.agentMs ?? this.#deadlineMs;
  }

  get #scoringMs(): number {
    return this.work.request.limits?.scoringMs ?? this.#deadlineMs;
  }

  #agentTooLate(): OsmosisError {
    return phaseDeadlineReached(this.record, 'agent', this.#agentMs);
  }

  #scoringTooLate(): OsmosisError {
    return phaseDeadlineReached(this.record, 'grader', this.#scoringMs);
  }

  #arm(limitMs: number): void {
    // What has no time left does not begin.
    if (limitMs <= 0) this.#expire();
    else this.#timer = this.#clock.after(limitMs, () => this.#expire());
  }

  #expire(): void {
    this.work.cancellation.cancel(this.#tooLate());
  }

  #tooLate(): OsmosisError {
    if (!this.work.request.limits) return deadlineReached(this.record, this.#deadlineMs);
    return this.#scoringSince === null ? this.#agentTooLate() : this.#scoringTooLate();
  }
}

function cancelQueued(record: RolloutRecord, { cancellation }: RolloutWork, maxQueueMs: number): void {
  if (record.state !== 'queued') return;
  cancellation.cancel(
    new OsmosisError('DEADLINE', `The rollout waited longer than ${maxQueueMs} ms for a slot (rollouts.maxQueueMs).`),
  );
}
