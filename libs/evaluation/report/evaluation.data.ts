import type { RunSummary } from '../run/run.record.js';
import type { RunIdentity } from '../run/log/log.header.js';
import type { RowLabels } from './slices.js';

/** What an evaluation was made with, for reports. */
export interface EvaluationConfig {
  readonly model: string;
  readonly baselineModel: string | null;
  readonly agent: string;
  readonly datasetPath: string;
  readonly runsPerRow: number;
  readonly threshold: number;
  readonly ks: readonly number[];
  /** Scorers that were known before the first run. */
  readonly scorers: readonly string[];
  readonly identity: RunIdentity;
  readonly version: string;
}

/** All results of an evaluation but the conversations: from its runner, or from its log. */
export interface EvaluationData {
  readonly config: EvaluationConfig;
  /** One for each run that counts, in the order of the rows. */
  readonly runs: readonly RunSummary[];
  readonly labels: RowLabels;
  readonly startedAt: string;
  /** Wall time, of all sessions. Milliseconds. */
  readonly durationMs: number;
  /** Why it was stopped before all runs were made; null when it was not. */
  readonly stopReason: string | null;
}

/** An evaluation under the name that tells it from others. */
export interface NamedEvaluation {
  readonly name: string;
  readonly data: EvaluationData;
}

export function runsOf(data: EvaluationData, tag: 'primary' | 'baseline'): RunSummary[] {
  const wanted = tag === 'baseline' ? ['baseline'] : ['primary', null];
  return data.runs.filter(({ model_tag }) => wanted.includes(model_tag));
}
