import { writeAtomically } from '../../run/output.files.js';
import type { EvaluationReport } from '../evaluation.report.js';
import { htmlReport } from './html.report.js';

/** Writes the report to look at, see {@link htmlReport}. @throws RunLogError when the log cannot be read or the file not be written */
export function writeHtmlReport(
  path: string,
  report: EvaluationReport,
  log: string,
  otherLogs: readonly string[] = [],
): Promise<void> {
  return writeAtomically(path, htmlReport(report, log, otherLogs));
}
