import { Injectable } from '@nestjs/common';
import type { AgentDescriptor } from '#agent';
import { InvocationScope } from '#discovery';
import { Cancellation, systemClock, type RolloutMetrics } from '#domain';
import { RolloutTrajectory } from '#reward';
import { checkRow } from '../dataset/row.checks.js';
import type { DatasetRow } from '../dataset/index.js';
import { AgentHost } from './agent.host.js';
import { evalMetadata } from './eval.request.js';
import { scorersOf } from './eval.options.js';
import { finalRuns, readHeader, readLog, type LogRun } from './log/log.reader.js';
import { RunLog, type LogMode } from './log/run.log.js';
import { logPathOf, prepareOutput } from './output.files.js';
import { toRequest } from './row.request.js';
import { requireWholeNumber } from './run.options.js';
import { keyOf, type RunRecord } from './run.record.js';
import type { EvalFunction } from './scoring/eval.function.js';
import { mergeEntries, rewardEntries } from './scoring/score.entries.js';
import { RunScorer } from './scoring/run.scorer.js';
import { runPool } from './work.pool.js';

export interface RescoreOptions {
  /** The log whose conversations are scored. */
  readonly log: string;
  /** Default: the agent that was evaluated. */
  readonly agent?: string;
  readonly evalFunctions?: readonly EvalFunction[];
  /** The new report's file; its log is beside it. */
  readonly output: string;
  readonly mode?: LogMode;
  /** Runs that are scored at once. Default 16. */
  readonly concurrency?: number;
  /** Of the source that scores now; a resumed rescoring must have the same. */
  readonly agentVersion?: string;
  /** Ends it: what is scored is kept. */
  readonly cancellation?: Cancellation;
  readonly onScored?: (progress: RescoreProgress) => void;
}

export interface RescoreProgress {
  /** Runs that are in the new log. */
  readonly done: number;
  readonly total: number;
  readonly record: RunRecord;
}

export interface RescoreResult {
  /** The new log, for `loadEvaluation`. */
  readonly logPath: string;
  /** Why runs were left out; null when none were. */
  readonly stopReason: string | null;
}

/** Scores the conversations of an evaluation again, with the rewards as they are now. No model is asked but judges. */
@Injectable()
export class RescoreService {
  private readonly clock = systemClock;

  constructor(private readonly host: AgentHost) {}

  /**
   * Writes a new log; the one that is read stays as it is. Failed runs are taken over as they are.
   *
   * @throws RunLogError, AgentNotFoundError, OsmosisError USAGE when there is nothing to score by
   */
  async rescore(options: RescoreOptions): Promise<RescoreResult> {
    const { log: from, concurrency = 16, mode = 'new', evalFunctions = [] } = options;
    const { cancellation = new Cancellation() } = options;
    requireWholeNumber('concurrency', concurrency, 1);
    const header = await readHeader(from);
    const name = header.identity.agent['name'];
    const agent = this.host.agent(options.agent ?? (typeof name === 'string' ? name : undefined));
    const scorers = scorersOf(agent, this.host.rewardNames(agent), { evalFunctions });
    const { rows, runs: total } = await contentsOf(from);
    await prepareOutput(options.output, mode);
    const { type: _type, schema_version: _version, ...facts } = header;
    const identity = {
      ...header.identity,
      agent: { ...header.identity.agent, name: agent.name, version: options.agentVersion ?? null },
      scorers,
    };
    const log = await RunLog.open(
      logPathOf(options.output),
      { ...facts, identity, config: { ...header.config, agent: agent.name, scorers } },
      mode,
    );
    const startedAt = this.clock.monotonic();
    let stopReason: string | null = 'the rescoring failed';
    try {
      const scorer = new RunScorer(evalFunctions, this.clock);
      let done = log.restored.runs.length;
      await runPool(finalRuns(from), concurrency, async (line) => {
        const row = rows.get(line.row_index);
        if (!row || log.isDone(line)) return 'continue';
        cancellation.throwIfCancelled();
        const record = await this.score(line, row, agent, scorer, cancellation);
        // A judge that was cut short has given no score.
        cancellation.throwIfCancelled();
        await log.append(record, row);
        options.onScored?.({ done: ++done, total, record });
        return 'continue';
      });
      stopReason = null;
    } catch (error) {
      if (cancellation.reason === null || error !== cancellation.reason) throw error;
      stopReason = cancellation.reason.message;
    } finally {
      await log.close(new Date(this.clock.now()).toISOString(), this.clock.monotonic() - startedAt, stopReason);
    }
    return { logPath: log.path, stopReason };
  }

  private async score(
    { type: _type, ...record }: LogRun,
    row: DatasetRow,
    agent: AgentDescriptor,
    scorer: RunScorer,
    cancellation: Cancellation,
  ): Promise<RunRecord> {
    if (!record.success) return record;
    const request = toRequest(row, {
      agent: agent.name,
      rolloutId: record.rollout_id,
      completionParams: {},
      maxTurns: record.token_usage.num_llm_calls,
      maxTokensTotal: record.token_usage.total_tokens,
      metadata: evalMetadata(record.run_index, record.model_tag),
    });
    const trajectory = new RolloutTrajectory({
      request,
      messages: record.messages,
      finishReason: record.finish_reason,
      metrics: metricsOf(record),
    });
    const scope = new InvocationScope(request);
    const { reward, components } = await this.host.rewards.score(agent, trajectory, scope, cancellation);
    const entries = mergeEntries(
      rewardEntries(reward, components),
      await scorer.score(record.messages, row.groundTruth, row.values),
    );
    const { scores, errors, reasons } = entries;
    return { ...record, reward, scores, score_errors: errors, score_reasons: reasons };
  }
}

/** The rows as the evaluation had them, and how many runs it has, from its log. */
async function contentsOf(
  path: string,
): Promise<{ readonly rows: ReadonlyMap<number, DatasetRow>; readonly runs: number }> {
  const rows = new Map<number, DatasetRow>();
  const runs = new Set<string>();
  for await (const { line } of readLog(path)) {
    if (line.type === 'row') rows.set(line.row_index, checkRow(line.values, path, { row: line.row_index }));
    if (line.type === 'run') runs.add(keyOf(line));
  }
  return { rows, runs: runs.size };
}

function metricsOf(record: RunRecord): RolloutMetrics {
  return {
    totalLatencyMs: record.duration_ms,
    llmLatencyMs: record.llm_latency_ms,
    toolLatencyMs: record.tool_latency_ms,
    numLlmCalls: record.token_usage.num_llm_calls,
    numToolCalls: record.num_tool_calls,
    promptTokens: record.token_usage.prompt_tokens,
    responseTokens: record.token_usage.completion_tokens,
    maxContextTokens: record.max_context_tokens,
  };
}
