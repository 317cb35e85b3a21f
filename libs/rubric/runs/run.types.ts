import type { ModelInfo } from '../model.info.js';

/** Population figures over the runs that have a score; all 0 when none has (spec C.3). */
export interface ScoreStatistics {
  readonly average: number;
  readonly variance: number;
  readonly stdev: number;
  readonly min: number;
  readonly max: number;
}

export interface RunStatistics extends ScoreStatistics {
  readonly total_runs: number;
  readonly success_count: number;
  readonly failure_count: number;
}

/** One record judged once. In the report's own names. */
export interface EvaluationRun {
  /** Counts from 1. */
  readonly run_index: number;
  readonly status: 'success' | 'error';
  readonly started_at: string;
  readonly completed_at: string;
  readonly duration_seconds: number;
  /** Null when there is none; never 0 in its place. */
  readonly score: number | null;
  readonly explanation: string | null;
  readonly preview: string | null;
  readonly error: string | null;
  readonly raw: unknown;
}

export interface RecordReport {
  readonly id: string;
  /** Counts from 1. */
  readonly record_index: number;
  readonly conversation_id: string;
  /** Null when redacted. */
  readonly input_record: Readonly<Record<string, unknown>> | null;
  readonly statistics: RunStatistics;
  readonly runs: readonly EvaluationRun[];
}

export interface BaselineComparison {
  readonly source_path: string;
  readonly baseline_statistics: Readonly<Record<string, number>>;
  /** Current minus baseline. */
  readonly delta_statistics: Readonly<Record<string, number>>;
}

/** The report's file, key for key (spec C.8). */
export interface RubricReport {
  readonly generated_at: string;
  readonly rubric_id: string;
  readonly rubric_source: string;
  readonly provider: string;
  readonly model: string;
  readonly number: number;
  readonly config_path: string;
  readonly data_path: string;
  readonly overall_statistics: RunStatistics;
  readonly records: readonly RecordReport[];
  readonly output_identifier?: string;
  readonly baseline_comparison?: BaselineComparison;
}

/** What a scorer of one's own is given; the built-in one asks the judge. */
export interface ScorerInput {
  readonly rubric: string;
  readonly solutionStr: string;
  readonly modelInfo: ModelInfo;
  readonly groundTruth: string | null;
  readonly originalInput: string | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly scoreMin: number | null;
  readonly scoreMax: number | null;
  /** What a classic rubric function expects as its third argument, in the reference's names (spec C.4). */
  readonly extraInfo: Readonly<Record<string, unknown>>;
}

/** A number, or more than that. Awaited, whatever it is. */
export type ScorerResult =
  number | { readonly score: number; readonly explanation?: string; readonly raw?: unknown; readonly preview?: string };

export type RubricScorer = (input: ScorerInput) => ScorerResult | Promise<ScorerResult>;
