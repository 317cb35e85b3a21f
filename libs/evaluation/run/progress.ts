import type { Clock } from '#domain';
import type { CostMeter } from './price.table.js';
import type { RunSummary } from './run.record.js';

/** What is known after each finished run. */
export interface RunProgress {
  /** Runs that are finished, those of earlier sessions included. */
  readonly done: number;
  readonly total: number;
  readonly restored: number;
  readonly run: RunSummary;
  readonly passed: number;
  readonly failed: number;
  /** Failure class → failed runs. */
  readonly failures: Readonly<Record<string, number>>;
  readonly tokens: number;
  /** US dollars; null without a price. */
  readonly cost: number | null;
  /** Of this session. */
  readonly runsPerMinute: number;
}

/** Counts runs as they finish. */
export class ProgressMeter {
  readonly #startedAt: number;
  readonly #failures: Record<string, number> = {};
  #made = 0;
  #passed = 0;
  #failed = 0;
  #tokens = 0;
  #cost: number | null = 0;

  constructor(
    private readonly total: number,
    private readonly restored: number,
    private readonly clock: Clock,
    private readonly costs: CostMeter,
    /** Whether a run counts as passed. */
    private readonly passes: (run: RunSummary) => boolean,
  ) {
    this.#startedAt = clock.monotonic();
  }

  add(run: RunSummary): RunProgress {
    this.#made++;
    if (this.passes(run)) this.#passed++;
    if (!run.success) {
      this.#failed++;
      const failure = run.failure?.class ?? 'agent';
      this.#failures[failure] = (this.#failures[failure] ?? 0) + 1;
    }
    this.#tokens += run.token_usage.total_tokens;
    const cost = this.costs.of(run);
    this.#cost = cost === null || this.#cost === null ? null : this.#cost + cost;
    const minutes = (this.clock.monotonic() - this.#startedAt) / 60_000;
    return {
      done: this.restored + this.#made,
      total: this.total,
      restored: this.restored,
      run,
      passed: this.#passed,
      failed: this.#failed,
      failures: { ...this.#failures },
      tokens: this.#tokens,
      cost: this.#cost,
      runsPerMinute: minutes > 0 ? this.#made / minutes : 0,
    };
  }
}
