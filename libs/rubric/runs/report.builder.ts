import { blankFields } from '../config/blank.keys.js';
import { conversationLabel, recordIdentifier, type RubricRecord } from '../records/rubric.record.js';
import type { RubricConfig } from '../config/rubric.suite.js';
import { compareWithBaseline, type Baseline } from './baseline.js';
import { runStatistics } from './run.statistics.js';
import type { EvaluationRun, RecordReport, RubricReport } from './run.types.js';

export interface ReportFacts {
  readonly config: RubricConfig;
  readonly provider: string;
  readonly model: string;
  readonly number: number;
  readonly configPath: string;
  readonly dataPath: string;
  readonly records: readonly RubricRecord[];
  /** Of each record, in order. */
  readonly runs: readonly (readonly EvaluationRun[])[];
  readonly identifier: string | null;
  readonly baseline: Baseline | null;
  /** Leaves out what was judged and what the judge said: numbers and errors only. */
  readonly redact: boolean;
  readonly generatedAt: Date;
}

/** The report, its keys in the reference's order (spec C.8). */
export function buildReport(facts: ReportFacts): RubricReport {
  const overall = runStatistics(facts.runs.flat());
  return {
    generated_at: facts.generatedAt.toISOString().replace('Z', '+00:00'),
    rubric_id: facts.config.rubricId,
    rubric_source: facts.config.sourceLabel,
    provider: facts.provider,
    model: facts.model,
    number: facts.number,
    config_path: facts.configPath,
    data_path: facts.dataPath,
    overall_statistics: overall,
    records: facts.records.map((record, index) => recordReport(record, index, facts)),
    ...(facts.identifier !== null && { output_identifier: facts.identifier }),
    ...(facts.baseline && { baseline_comparison: compareWithBaseline(overall, facts.baseline) }),
  };
}

function recordReport(record: RubricRecord, index: number, facts: ReportFacts): RecordReport {
  const label = conversationLabel(record, index + 1);
  const runs = facts.runs[index] ?? [];
  return {
    id: recordIdentifier(record, label),
    record_index: index + 1,
    conversation_id: label,
    input_record: facts.redact ? null : blankFields(record.payload),
    statistics: runStatistics(runs),
    runs: facts.redact ? runs.map(redacted) : runs,
  };
}

export function redacted(run: EvaluationRun): EvaluationRun {
  return { ...run, explanation: null, preview: null, raw: null };
}
