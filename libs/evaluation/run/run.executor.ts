import type { AgentDescriptor, ToolDescriptor } from '#agent';
import {
  describeThrown,
  failureOf,
  getSolutionText,
  OsmosisError,
  type Cancellation,
  type Clock,
  type Failure,
} from '#domain';
import type { ProviderRequestError } from '#model';
import type { DatasetRow } from '../dataset/index.js';
import type { AgentHost } from './agent.host.js';
import { runLocally, type LocalRolloutResult, type RolloutLimits } from './local.rollout.js';
import type { EvaluationModel } from './models/evaluation.model.js';
import { ObservedModel } from './models/observed.model.js';
import type { RateBrake } from './rate.brake.js';
import type { Blame, ModelTag, RunRecord, TokenUsageRecord } from './run.record.js';
import { mergeEntries, NO_ENTRIES, rewardEntries, type ScoreEntries } from './scoring/score.entries.js';
import type { RunScorer } from './scoring/run.scorer.js';

/** One run to be made. */
export interface RunItem {
  readonly row: DatasetRow;
  readonly runIndex: number;
  readonly tag: ModelTag;
  readonly model: EvaluationModel;
}

export interface ExecutedRun {
  readonly record: RunRecord;
  /** The record as JSON. */
  readonly json: string;
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
      const record = this.record(item, attempt, entries, { startedAt, tries, tokenUsage: sumTokens(used) });
      return { ...serialized(record), systemic: attempt.fault?.isSystemic ? attempt.fault : null };
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

  private record(
    item: RunItem,
    { result, fault }: Try,
    entries: ScoreEntries,
    common: { readonly startedAt: string; readonly tries: number; readonly tokenUsage: TokenUsageRecord },
  ): RunRecord {
    const { outcome, metrics, durationMs } = result;
    const success = outcome.status === 'COMPLETED';
    return {
      row_index: item.row.index,
      run_index: item.runIndex,
      model_tag: item.tag,
      rollout_id: this.setup.rolloutId(item),
      success,
      finish_reason: outcome.finishReason,
      error: success ? null : outcome.errorMessage,
      failure: outcome.failure,
      blame: success ? null : blameFor(outcome.failure, fault),
      reward: outcome.reward,
      scores: entries.scores,
      score_errors: entries.errors,
      score_reasons: entries.reasons,
      duration_ms: durationMs,
      llm_latency_ms: metrics?.llmLatencyMs ?? 0,
      tool_latency_ms: metrics?.toolLatencyMs ?? 0,
      num_tool_calls: metrics?.numToolCalls ?? 0,
      max_context_tokens: metrics?.maxContextTokens ?? 0,
      token_usage: common.tokenUsage,
      empty_answer: success && getSolutionText(outcome.finalMessages).trim() === '',
      tries: common.tries,
      started_at: common.startedAt,
      messages: outcome.finalMessages,
    };
  }
}

/** An agent can put anything into its messages; a run that cannot be kept failed by its own fault. */
function serialized(record: RunRecord): Pick<ExecutedRun, 'record' | 'json'> {
  try {
    return { record, json: JSON.stringify(record) };
  } catch (error) {
    const reason = `The conversation cannot be kept: ${describeThrown(error)}`;
    const failure = failureOf(new OsmosisError('AGENT_FAILED', reason), 'agent');
    const failed: RunRecord = {
      ...record,
      success: false,
      error: reason,
      failure,
      blame: 'agent',
      reward: null,
      scores: {},
      score_reasons: {},
      messages: [],
    };
    return { record: failed, json: JSON.stringify(failed) };
  }
}

/** A fault that every call meets is not tried again: the evaluation stops. */
function isPassing({ result, fault }: Try): boolean {
  const { failure, status } = result.outcome;
  if (status === 'COMPLETED') return false;
  if (fault) return fault.retryable && !fault.isSystemic;
  return failure?.retryable === true && (failure.class === 'model' || failure.class === 'transport');
}

/** What the agent said may be refused for its length or its content: that is the agent's doing, not the server's. */
const AGENTS_OWN: ReadonlySet<string> = new Set(['context_length', 'content_filter']);

const AGENT_CLASSES: ReadonlySet<string | undefined> = new Set(['agent', 'tool', 'deadline']);

/** An agent that reports its model's fault as an error of its own is not to blame for it. */
function blameFor(failure: Failure | null, fault: ProviderRequestError | null): Blame {
  if (fault) return AGENTS_OWN.has(fault.kind) ? 'agent' : 'environment';
  return AGENT_CLASSES.has(failure?.class) ? 'agent' : 'environment';
}

function sumTokens(results: readonly LocalRolloutResult[]): TokenUsageRecord {
  let [prompt, completion, calls] = [0, 0, 0];
  for (const { metrics } of results) {
    prompt += metrics?.promptTokens ?? 0;
    completion += metrics?.responseTokens ?? 0;
    calls += metrics?.numLlmCalls ?? 0;
  }
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    num_llm_calls: calls,
  };
}
