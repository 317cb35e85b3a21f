import { Injectable } from '@nestjs/common';
import type { AgentDescriptor } from '#agent';
import { Cancellation, systemClock } from '#domain';
import { Dataset } from '../dataset/index.js';
import type { EvaluationConfig, EvaluationData } from '../report/evaluation.data.js';
import { inOrder } from '../report/runs.summary.js';
import { labelsOf } from '../report/slices.js';
import { mainScorer } from './scoring/score.entries.js';
import { reaches } from '../statistics/index.js';
import { AgentHost } from './agent.host.js';
import { countRows, runBatch, type TaggedModel } from './batch.js';
import { configOf } from './eval.config.js';
import { evalMetadata, evalRolloutId } from './eval.request.js';
import { costsOf, finish, openLog, type EvalResult } from './eval.results.js';
import { planOf, scorersOf, type EvalOptions, type EvalPlan } from './eval.options.js';
import type { RolloutLimits } from './local.rollout.js';
import type { RunLog } from './log/run.log.js';
import { ProgressMeter } from './progress.js';
import { RateBrake } from './rate.brake.js';
import { RunExecutor, type RunItem } from './run.executor.js';
import { concurrencyOf, limitsOf, retriesOf, startOf } from './run.options.js';
import { summaryOf, type RunSummary } from './run.record.js';
import { RunScorer } from './scoring/run.scorer.js';

interface Session {
  readonly options: EvalOptions;
  readonly plan: EvalPlan;
  readonly agent: AgentDescriptor;
  readonly executor: RunExecutor;
  readonly dataset: Dataset;
  readonly models: readonly TaggedModel[];
  readonly config: EvaluationConfig;
  readonly rows: number;
  readonly startedAt: string;
}

/** Evaluates an agent with a model on a dataset (spec F.8). Every finished run is on disk before it counts. */
@Injectable()
export class EvalRunner {
  private readonly clock = systemClock;

  constructor(private readonly host: AgentHost) {}

  /**
   * Everything is checked before the first call is paid for: options, dataset, scorers, output, models.
   *
   * @throws DatasetError, RunLogError, OsmosisError USAGE, AgentNotFoundError, and ProviderRequestError when a model cannot
   *   be asked at all. Afterwards: only when results cannot be written
   */
  async run(options: EvalOptions): Promise<EvalResult> {
    const plan = planOf(options);
    const limits = limitsOf(options.limits);
    const agent = this.host.agent(options.agent);
    const scorers = scorersOf(agent, this.host.rewardNames(agent), options);
    const executor = this.executor(agent, limits, options);
    concurrencyOf(options);
    const dataset = await Dataset.open(options.dataset, options.stdin);
    try {
      const rows = await countRows(dataset);
      const config = await configOf({ agent, dataset, limits, plan, scorers, options });
      const startedAt = new Date(this.clock.now()).toISOString();
      const models = taggedModels(options);
      const session = { options, plan, agent, executor, dataset, models, config, rows, startedAt };
      return await this.runSession(session);
    } finally {
      await dataset.close();
    }
  }

  private async runSession(session: Session): Promise<EvalResult> {
    const { options, config, startedAt } = session;
    const log = await openLog(options, config, startedAt);
    const began = this.clock.monotonic();
    const duration = (): number => this.clock.monotonic() - began;
    let stopReason: string | null = 'the evaluation failed';
    try {
      const found = await this.makeRuns(session, log);
      stopReason = found.stopReason;
      const data: EvaluationData = {
        config,
        ...found,
        startedAt: log?.restored.startedAt ?? startedAt,
        durationMs: duration() + (log?.restored.durationMs ?? 0),
      };
      return await finish(data, options, log);
    } finally {
      await log?.close(new Date(this.clock.now()).toISOString(), duration(), stopReason);
    }
  }

  private async makeRuns(
    session: Session,
    log: RunLog | null,
  ): Promise<Pick<EvaluationData, 'runs' | 'labels' | 'stopReason'>> {
    const { options, plan, agent, executor, dataset, models, rows } = session;
    const total = rows * plan.runsPerRow * models.length;
    const restored = log?.restored.runs ?? [];
    const retried = log?.restored.retried ?? 0;
    const runs: RunSummary[] = [...restored];
    const labels = new Map<number, Readonly<Record<string, string>>>();
    // Nothing left to do asks nobody for a word.
    if (restored.length < total && options.preflight !== false) for (const { model } of models) await model.preflight();
    options.onStart?.(startOf(agent, options, { rows, total, restored: restored.length, retried }));
    const meter = new ProgressMeter(total, restored.length, this.clock, costsOf(options), (run) =>
      passes(run, plan.threshold),
    );
    const stopReason = await runBatch(executor, {
      dataset,
      models,
      runsPerRow: plan.runsPerRow,
      concurrency: concurrencyOf(options),
      cancellation: options.cancellation ?? new Cancellation(),
      skip: (key) => log?.isDone(key) ?? false,
      onRow: ({ index, values }) => {
        if (options.sliceBy) labels.set(index, labelsOf(values, options.sliceBy));
      },
      onRun: async ({ record, json }, row) => {
        await log?.append(record, row, json);
        const run = summaryOf(record);
        runs.push(run);
        options.onProgress?.(meter.add(run));
      },
    });
    return { runs: inOrder(runs), labels, stopReason };
  }

  private executor(agent: AgentDescriptor, limits: RolloutLimits, options: EvalOptions): RunExecutor {
    const { clock } = this;
    const setup = {
      agent,
      addedTools: options.tools ?? [],
      limits,
      retries: retriesOf(options),
      rolloutId: ({ row, runIndex, tag }: RunItem) => evalRolloutId(row.index, runIndex, tag),
      metadata: ({ runIndex, tag }: RunItem) => evalMetadata(runIndex, tag),
    };
    return new RunExecutor(
      this.host,
      setup,
      new RunScorer(options.evalFunctions ?? [], clock),
      new RateBrake(clock),
      clock,
    );
  }
}

function taggedModels({ model, baseline }: EvalOptions): TaggedModel[] {
  if (!baseline) return [{ tag: null, model }];
  return [
    { tag: 'primary', model },
    { tag: 'baseline', model: baseline },
  ];
}

/** By the scorer that stands for all. */
function passes(run: RunSummary, threshold: number): boolean {
  const scorer = mainScorer(Object.keys(run.scores));
  const score = scorer === undefined ? null : run.scores[scorer];
  return run.success && typeof score === 'number' && reaches(score, threshold);
}
