import { Injectable } from '@nestjs/common';
import type { AgentDescriptor } from '#agent';
import { Cancellation, systemClock } from '#domain';
import { Dataset } from '../dataset/index.js';
import type { EvaluationConfig, EvaluationData } from '../report/evaluation.data.js';
import { buildReport, type EvaluationReport } from '../report/evaluation.report.js';
import { judgeGates } from '../report/figures.js';
import { jsonChunks } from '../report/json.report.js';
import { inOrder } from '../report/runs.summary.js';
import { labelsOf } from '../report/slices.js';
import { mainScorer } from './scoring/score.entries.js';
import { reaches } from '../statistics/index.js';
import { AgentHost } from './agent.host.js';
import { countRows, runBatch, type TaggedModel } from './batch.js';
import { configOf } from './eval.config.js';
import { evalMetadata, evalRolloutId } from './eval.request.js';
import { planOf, scorersOf, type EvalOptions, type EvalPlan } from './eval.options.js';
import type { RolloutLimits } from './local.rollout.js';
import { RunLog } from './log/run.log.js';
import { logPathOf, prepareOutput, writeAtomically } from './output.files.js';
import { CostMeter } from './price.table.js';
import { ProgressMeter } from './progress.js';
import { RateBrake } from './rate.brake.js';
import { RunExecutor, type RunItem } from './run.executor.js';
import { concurrencyOf, limitsOf, retriesOf, startOf } from './run.options.js';
import { summaryOf, type RunSummary } from './run.record.js';
import { RunScorer } from './scoring/run.scorer.js';

/** What an evaluation has come to. */
export interface EvalResult {
  readonly report: EvaluationReport;
  /** Where the report was written; null when it was not. */
  readonly reportPath: string | null;
  readonly logPath: string | null;
  readonly gatesPassed: boolean;
}

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

async function openLog(options: EvalOptions, config: EvaluationConfig, startedAt: string): Promise<RunLog | null> {
  if (options.output === undefined) return null;
  const mode = options.mode ?? 'new';
  await prepareOutput(options.output, mode);
  const { identity, ...facts } = config;
  return RunLog.open(logPathOf(options.output), { started_at: startedAt, identity, config: facts }, mode);
}

async function finish(data: EvaluationData, options: EvalOptions, log: RunLog | null): Promise<EvalResult> {
  const report = buildReport(data, {
    sliceBy: options.sliceBy,
    against: options.against,
    confidence: options.confidence,
    seed: options.seed,
    gates: (summary) => judgeGates(options.gates ?? [], summary),
    cost: costsOf(options).total(data.runs),
  });
  const reportPath = options.output ?? null;
  if (reportPath !== null) await writeAtomically(reportPath, jsonChunks(report));
  const gatesPassed = report.gates.every(({ passed }) => passed);
  return { report, reportPath, logPath: log?.path ?? null, gatesPassed };
}

function taggedModels({ model, baseline }: EvalOptions): TaggedModel[] {
  if (!baseline) return [{ tag: null, model }];
  return [
    { tag: 'primary', model },
    { tag: 'baseline', model: baseline },
  ];
}

function costsOf({ prices, model, baseline }: EvalOptions): CostMeter {
  return new CostMeter((tag) => prices?.find(tag === 'baseline' ? (baseline ?? model).name : model.name) ?? null);
}

/** By the scorer that stands for all. */
function passes(run: RunSummary, threshold: number): boolean {
  const scorer = mainScorer(Object.keys(run.scores));
  const score = scorer === undefined ? null : run.scores[scorer];
  return run.success && typeof score === 'number' && reaches(score, threshold);
}
