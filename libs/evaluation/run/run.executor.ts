import type { AgentDescriptor, ToolDescriptor } from '#agent';
import type { Cancellation, Clock } from '#domain';
import type { ProviderRequestError } from '#model';
import type { DatasetRow } from '../dataset/index.js';
import type { AgentHost } from './agent.host.js';
import { runLocally, type LocalRolloutResult, type RolloutLimits } from './local.rollout.js';
import type { EvaluationModel } from './models/evaluation.model.js';
import { ObservedModel } from './models/observed.model.js';
import type { RateBrake } from './rate.brake.js';
import type { ModelTag } from './run.record.js';
import { recordRun, type RecordedRun } from './run.recorder.js';
import { mergeEntries, NO_ENTRIES, rewardEntries, type ScoreEntries } from './scoring/score.entries.js';
import type { RunScorer } from './scoring/run.scorer.js';

/** One run to be made. */
export interface RunItem {
  readonly row: DatasetRow;
  readonly runIndex: number;
  readonly tag: ModelTag;
  readonly model: EvaluationModel;
}

export interface ExecutedRun extends RecordedRun {
  /** Set when no further call to the provider can succeed. */
  readonly systemic: ProviderRequestError | null;
}

/** What all runs of an evaluation have in common. */
export interface RunSetup {
  readonly agent: AgentDescriptor;
  readonly addedTools: readonly ToolDescriptor[];
  readonly limits: RolloutLimits;
  /** Further tries of a run that failed by what passes: rate limits, servers, connections. */
  readonly retries: number;
  readonly rolloutId: (item: RunItem) => string;
  readonly metadata: (item: RunItem) => Readonly<Record<string, unknown>>;
}

interface Try {
  readonly result: LocalRolloutResult;
  readonly fault: ProviderRequestError | null;
}

/** Makes runs into records. Never throws for what an agent, a model or a scorer does. */
export class RunExecutor {
  constructor(
    private readonly host: AgentHost,
    private readonly setup: RunSetup,
    private readonly scorer: RunScorer,
    private readonly brake: RateBrake,
    private readonly clock: Clock,
  ) {}

  /** @throws the reason, when cancelled before the run has ended: such a run is none */
  async execute(item: RunItem, cancellation: Cancellation): Promise<ExecutedRun> {
    const startedAt = new Date(this.clock.now()).toISOString();
    const used: LocalRolloutResult[] = [];
    for (let tries = 1; ; tries++) {
      await this.brake.wait(cancellation);
      const attempt = await this.attempt(item, cancellation);
      cancellation.throwIfCancelled();
      used.push(attempt.result);
      if (tries <= this.setup.retries && isPassing(attempt)) {
        this.brake.hold(attempt.fault?.retryAfterMs);
        continue;
      }
      if (attempt.result.outcome.status === 'COMPLETED') this.brake.release();
      const entries = await this.score(item, attempt.result);
      const { result, fault } = attempt;
      const key = { row_index: item.row.index, run_index: item.runIndex, model_tag: item.tag };
      const rolloutId = this.setup.rolloutId(item);
      const { record, json } = recordRun({ key, rolloutId, result, fault, entries, startedAt, tries: used });
      return { record, json, systemic: fault?.isSystemic ? fault : null };
    }
  }

  private async attempt(item: RunItem, cancellation: Cancellation): Promise<Try> {
    const { agent, addedTools, limits, rolloutId, metadata } = this.setup;
    const model = new ObservedModel(item.model.open());
    const result = await runLocally(this.host, model, {
      row: item.row,
      agent,
      addedTools,
      limits,
      rolloutId: rolloutId(item),
      metadata: metadata(item),
      cancellation,
      clock: this.clock,
    });
    return { result, fault: model.fault };
  }

  private async score(item: RunItem, { outcome }: LocalRolloutResult): Promise<ScoreEntries> {
    if (outcome.status !== 'COMPLETED') return NO_ENTRIES;
    const { groundTruth, values } = item.row;
    return mergeEntries(
      rewardEntries(outcome.reward, outcome.rewards),
      await this.scorer.score(outcome.finalMessages, groundTruth, values),
    );
  }
}

/** A fault that every call meets is not tried again: the evaluation stops. */
function isPassing({ result, fault }: Try): boolean {
  const { failure, status } = result.outcome;
  if (status === 'COMPLETED') return false;
  if (fault) return fault.retryable && !fault.isSystemic;
  return failure?.retryable === true && (failure.class === 'model' || failure.class === 'transport');
}
