import { relative } from 'node:path';
import { EXIT } from '#domain';
import { jsonReport, type EvaluationReport } from '#evaluation/plain';
import { note, writeJson, type CommandContext } from '../../cli/command-context.js';
import { reportError, type ReportedError } from '../../cli/report-error.js';
import { writeReport } from './report-text.js';

/** Why a command does not end with 0 though it has done its work. */
export type Verdict = Pick<ReportedError, 'code' | 'message' | 'exitCode'>;

interface ReportEnd {
  readonly report: EvaluationReport;
  /** What was written, absolute; null for what was not. */
  readonly paths: {
    readonly reportPath: string | null;
    readonly logPath?: string | null;
    readonly htmlPath?: string | null;
  };
  readonly verdict: Verdict | null;
}

/** Tells the report and where it is; gives the exit code. */
export function endWithReport(context: CommandContext, command: string, { report, paths, verdict }: ReportEnd): number {
  writeReport(context, report);
  if (paths.htmlPath) note(context, `\nPage written to ${shownPath(context, paths.htmlPath)}`);
  if (paths.reportPath) note(context, `\nReport written to ${shownPath(context, paths.reportPath)}`);
  const document = context.json ? { ...paths, report: jsonReport(report) } : {};
  if (verdict) return reportError(context, command, { ...verdict, details: document });
  if (context.json) writeJson(context, command, document);
  return EXIT.ok;
}

export function shownPath({ cwd }: CommandContext, path: string): string {
  const fromHere = relative(cwd, path);
  return fromHere.startsWith('..') ? path : fromHere;
}
