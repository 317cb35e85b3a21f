import type { AgentDescriptor, ToolDescriptor } from '#agent';
import { OsmosisError, type Cancellation } from '#domain';
import type { DatasetSpec } from '../dataset/index.js';
import type { RolloutLimits } from './local.rollout.js';
import type { EvaluationModel } from './models/evaluation.model.js';
import type { PriceTable } from './price.table.js';
import type { RunProgress } from './progress.js';

/** What testing and evaluating have in common. */
export interface RunOptions {
  readonly dataset: DatasetSpec;
  /** What `-` as the dataset names. */
  readonly stdin?: NodeJS.ReadableStream;
  /** Default: the only agent, or the default one. */
  readonly agent?: string;
  readonly model: EvaluationModel;
  /** Tools that the agent gets beside its own, e.g. those of an MCP server. */
  readonly tools?: readonly ToolDescriptor[];
  readonly limits?: Partial<RolloutLimits>;
  /** Runs at once. Default 4. */
  readonly concurrency?: number;
  /** Further tries of a run after a rate limit, a server's fault or a broken connection. Default 2. */
  readonly retries?: number;
  readonly prices?: PriceTable;
  /** Asks the model for one word before the first run. Default true. */
  readonly preflight?: boolean;
  /** Ends it: runs under way are given up, finished ones are kept. */
  readonly cancellation?: Cancellation;
  /** Told when everything has been checked, before the first run. */
  readonly onStart?: (start: RunStart) => void;
  readonly onProgress?: (progress: RunProgress) => void;
}

/** What is known before the first run. */
export interface RunStart {
  readonly agent: string;
  readonly tools: readonly string[];
  readonly rows: number;
  /** Runs in all. */
  readonly total: number;
  /** Runs of earlier sessions that are not made again. */
  readonly restored: number;
  /** Runs of earlier sessions that failed and are made again. */
  readonly retried: number;
  readonly concurrency: number;
}

/**
 * Ten turns as in the reference (spec F.2). Its 4,096 tokens a conversation would cut off most agents, since the built-in
 * loop keeps to the limit; an hour is more than any run that ends takes.
 */
const DEFAULT_LIMITS: RolloutLimits = {
  completionParams: {},
  maxTurns: 10,
  maxTokensTotal: 32_768,
  timeoutMs: 3_600_000,
};

/** @throws OsmosisError USAGE naming the option */
export function limitsOf(limits: Partial<RolloutLimits> = {}): RolloutLimits {
  const all = { ...DEFAULT_LIMITS, ...limits };
  requireWholeNumber('max-turns', all.maxTurns, 1);
  requireWholeNumber('max-tokens-total', all.maxTokensTotal, 1);
  requireWholeNumber('timeout in milliseconds', all.timeoutMs, 1);
  return all;
}

/** What `onStart` is told. */
export function startOf(
  agent: AgentDescriptor,
  options: RunOptions,
  counts: Pick<RunStart, 'rows' | 'total' | 'restored' | 'retried'>,
): RunStart {
  const tools = [...agent.tools.names, ...(options.tools ?? []).map(({ name }) => name)];
  return { agent: agent.name, tools, concurrency: concurrencyOf(options), ...counts };
}

/** @throws OsmosisError USAGE */
export function requireWholeNumber(name: string, value: number, least: number): void {
  if (Number.isSafeInteger(value) && value >= least) return;
  throw new OsmosisError('USAGE', `${name} must be a whole number from ${least}, not ${value}.`);
}

export function concurrencyOf({ concurrency = 4 }: RunOptions): number {
  requireWholeNumber('concurrency', concurrency, 1);
  return concurrency;
}

export function retriesOf({ retries = 2 }: RunOptions): number {
  requireWholeNumber('retries', retries, 0);
  return retries;
}
