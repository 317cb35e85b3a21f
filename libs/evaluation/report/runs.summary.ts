import type { RunSummary } from '../run/run.record.js';
import { mainScorer } from '../run/scoring/score.entries.js';
import {
  NO_ESTIMATE,
  summarizeScores,
  wilson,
  type Estimate,
  type RowSample,
  type ScoreSummary,
} from '../statistics/index.js';

/** How runs are summed up. */
export interface SummaryRequest {
  /** A score passes when it reaches this. */
  readonly threshold: number;
  /** k of pass@k and pass^k. */
  readonly ks: readonly number[];
  readonly confidence?: number;
  readonly seed?: number;
  /** Scorers that must be shown also when they gave nothing. */
  readonly scorers?: readonly string[];
}

export interface ScorerSummary extends ScoreSummary {
  readonly name: string;
  /** Runs that this scorer failed on; they have no score, and are no zeros. */
  readonly scorerErrors: number;
}

/** All runs of one model over one set of rows. */
export interface RunsSummary {
  readonly rows: number;
  readonly runs: number;
  readonly failed: number;
  /** Failed runs among those that were made (case ST-03). */
  readonly errorRate: Estimate;
  /** Failure class → failed runs. */
  readonly failures: Readonly<Record<string, number>>;
  readonly totalTokens: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Sum of the runs' own durations, in milliseconds. */
  readonly totalDurationMs: number;
  /** Successful runs that ended without any text. */
  readonly emptyAnswers: number;
  readonly scorers: readonly ScorerSummary[];
  /** The scorer that stands for all when none is named. */
  readonly main: ScorerSummary | undefined;
}

export function summarizeRuns(runs: readonly RunSummary[], request: SummaryRequest): RunsSummary {
  const failed = runs.filter(({ success }) => !success);
  const names = scorerNames(runs, request.scorers);
  const scorers = names.map((name) => summarizeScorer(runs, name, request));
  const main = mainScorer(names);
  const sum = (value: (run: RunSummary) => number): number => runs.reduce((total, run) => total + value(run), 0);
  return {
    rows: new Set(runs.map(({ row_index }) => row_index)).size,
    runs: runs.length,
    failed: failed.length,
    errorRate: errorRate(failed.length, runs.length, request.confidence),
    failures: countBy(failed, ({ failure }) => failure?.class ?? 'agent'),
    totalTokens: sum(({ token_usage }) => token_usage.total_tokens),
    promptTokens: sum(({ token_usage }) => token_usage.prompt_tokens),
    completionTokens: sum(({ token_usage }) => token_usage.completion_tokens),
    totalDurationMs: sum(({ duration_ms }) => duration_ms),
    emptyAnswers: runs.filter(({ empty_answer }) => empty_answer).length,
    scorers,
    main: scorers.find(({ name }) => name === main),
  };
}

/** Every scorer that any run knows, in order of appearance; those that are expected come first. */
export function scorerNames(runs: readonly RunSummary[], expected: readonly string[] = []): string[] {
  const names = new Set(expected);
  for (const { scores } of runs) for (const name of Object.keys(scores)) names.add(name);
  return [...names];
}

/** What the statistics need of the runs, by row in order of their numbers. */
export function samplesOf(runs: readonly RunSummary[], scorer: string): RowSample[] {
  const rows = new Map<number, { scores: number[]; failures: number }>();
  for (const run of runs) {
    const row = rows.get(run.row_index) ?? { scores: [], failures: 0 };
    rows.set(run.row_index, row);
    const score = run.scores[scorer];
    if (typeof score === 'number') row.scores.push(score);
    else if (run.blame === 'agent') row.failures++;
  }
  return [...rows].map(([row, sample]) => ({ row, ...sample })).sort((a, b) => a.row - b.row);
}

/** In the order of the rows, whatever order they were finished in: primary before baseline, then by run (spec F.8). */
export function inOrder(runs: readonly RunSummary[]): RunSummary[] {
  const rank = { primary: 0, baseline: 1 };
  const tagRank = ({ model_tag }: RunSummary): number => (model_tag === null ? 0 : rank[model_tag]);
  return [...runs].sort((a, b) => a.row_index - b.row_index || tagRank(a) - tagRank(b) || a.run_index - b.run_index);
}

function summarizeScorer(runs: readonly RunSummary[], name: string, request: SummaryRequest): ScorerSummary {
  return {
    name,
    scorerErrors: runs.filter(({ scores }) => scores[name] === null).length,
    ...summarizeScores(samplesOf(runs, name), request),
  };
}

function errorRate(failed: number, runs: number, confidence?: number): Estimate {
  if (runs === 0) return NO_ESTIMATE;
  return { value: failed / runs, interval: wilson(failed, runs, confidence), rows: runs };
}

function countBy<Item>(items: readonly Item[], key: (item: Item) => string): Record<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(key(item), (counts.get(key(item)) ?? 0) + 1);
  return Object.fromEntries([...counts].sort(([, a], [, b]) => b - a));
}
