import { Injectable } from '@nestjs/common';
import type { AgentDescriptor } from '#agent';
import { Cancellation, systemClock } from '#domain';
import { Dataset } from '../dataset/index.js';
import { inOrder, summarizeRuns, type RunsSummary } from '../report/runs.summary.js';
import { AgentHost } from './agent.host.js';
import { countRows, runBatch } from './batch.js';
import { CostMeter } from './price.table.js';
import { ProgressMeter } from './progress.js';
import { RateBrake } from './rate.brake.js';
import { RunExecutor } from './run.executor.js';
import { concurrencyOf, limitsOf, retriesOf, startOf, type RunOptions } from './run.options.js';
import { summaryOf, type RunSummary } from './run.record.js';
import { RunScorer } from './scoring/run.scorer.js';

/** How a test of an agent went. */
export interface TestResult {
  /** One for each row that was run, in their order. */
  readonly runs: readonly RunSummary[];
  readonly summary: RunsSummary;
  readonly passed: number;
  readonly failed: number;
  /** Wall time in milliseconds. */
  readonly durationMs: number;
  /** US dollars; null without a price for the model. */
  readonly cost: number | null;
  /** Why rows were left out; null when none were. */
  readonly stopReason: string | null;
}

/** Runs an agent once on every row, to see whether it works (spec F.6). A row passes when its rollout completes. */
@Injectable()
export class TestRunner {
  private readonly clock = systemClock;

  constructor(private readonly host: AgentHost) {}

  /**
   * @throws DatasetError for a dataset that cannot be used, OsmosisError USAGE for a bad option, AgentNotFoundError, and
   *   ProviderRequestError when the model cannot be asked at all
   */
  async run(options: RunOptions): Promise<TestResult> {
    const agent = this.host.agent(options.agent);
    const executor = this.executor(agent, options);
    const concurrency = concurrencyOf(options);
    const dataset = await Dataset.open(options.dataset, options.stdin);
    try {
      const rows = await countRows(dataset);
      if (options.preflight !== false) await options.model.preflight();
      options.onStart?.(startOf(agent, options, { rows, total: rows, restored: 0, retried: 0 }));
      return await this.runAll(executor, dataset, rows, concurrency, options);
    } finally {
      await dataset.close();
    }
  }

  private executor(agent: AgentDescriptor, options: RunOptions): RunExecutor {
    const setup = {
      agent,
      addedTools: options.tools ?? [],
      limits: limitsOf(options.limits),
      retries: retriesOf(options),
      rolloutId: ({ row }: { readonly row: { readonly index: number } }) => `test-${row.index}`,
      metadata: () => ({ execution_mode: 'test', test_mode: true }),
    };
    return new RunExecutor(this.host, setup, new RunScorer([], this.clock), new RateBrake(this.clock), this.clock);
  }

  private async runAll(
    executor: RunExecutor,
    dataset: Dataset,
    rows: number,
    concurrency: number,
    options: RunOptions,
  ): Promise<TestResult> {
    const costs = new CostMeter(() => options.prices?.find(options.model.name) ?? null);
    const meter = new ProgressMeter(rows, 0, this.clock, costs, ({ success }) => success);
    const startedAt = this.clock.monotonic();
    const runs: RunSummary[] = [];
    const stopReason = await runBatch(executor, {
      dataset,
      models: [{ tag: null, model: options.model }],
      runsPerRow: 1,
      concurrency,
      cancellation: options.cancellation ?? new Cancellation(),
      onRun: ({ record }) => {
        const run = summaryOf(record);
        runs.push(run);
        options.onProgress?.(meter.add(run));
      },
    });
    const summary = summarizeRuns(runs, { threshold: 1, ks: [] });
    return {
      runs: inOrder(runs),
      summary,
      passed: summary.runs - summary.failed,
      failed: summary.failed,
      durationMs: this.clock.monotonic() - startedAt,
      cost: costs.total(runs),
      stopReason,
    };
  }
}
