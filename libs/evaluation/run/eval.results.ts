import type { EvaluationConfig, EvaluationData } from '../report/evaluation.data.js';
import { buildReport, type EvaluationReport } from '../report/evaluation.report.js';
import { judgeGates } from '../report/figures.js';
import { jsonChunks } from '../report/json.report.js';
import type { EvalOptions } from './eval.options.js';
import { RunLog } from './log/run.log.js';
import { logPathOf, prepareOutput, writeAtomically } from './output.files.js';
import { CostMeter } from './price.table.js';

/** What an evaluation has come to. */
export interface EvalResult {
  readonly report: EvaluationReport;
  /** Where the report was written; null when it was not. */
  readonly reportPath: string | null;
  readonly logPath: string | null;
  readonly gatesPassed: boolean;
}

/** Where runs are kept; null when nothing is written. @throws RunLogError when it cannot be written, or resumed */
export async function openLog(
  options: EvalOptions,
  config: EvaluationConfig,
  startedAt: string,
): Promise<RunLog | null> {
  if (options.output === undefined) return null;
  const mode = options.mode ?? 'new';
  await prepareOutput(options.output, mode);
  const { identity, ...facts } = config;
  return RunLog.open(logPathOf(options.output), { started_at: startedAt, identity, config: facts }, mode);
}

/** The report, also in its file. @throws RunLogError when it cannot be written */
export async function finish(data: EvaluationData, options: EvalOptions, log: RunLog | null): Promise<EvalResult> {
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

export function costsOf({ prices, model, baseline }: EvalOptions): CostMeter {
  return new CostMeter((tag) => prices?.find(tag === 'baseline' ? (baseline ?? model).name : model.name) ?? null);
}
