import { gateLine, jsonReport, type EvaluationReport } from '#evaluation/plain';
import { EXIT } from '#domain';
import type { CommandContext } from '../../cli/command-context.js';
import { reportError } from '../../cli/report-error.js';

/** Ends a command by the gates of its report. @param succeed tells the result, when all are passed */
export function gateExit(
  context: CommandContext,
  command: string,
  report: EvaluationReport,
  succeed: () => void,
): number {
  const failed = report.gates.filter(({ passed }) => !passed);
  if (failed.length === 0) {
    if (context.json) succeed();
    return EXIT.ok;
  }
  const message = `${failed.length} of ${report.gates.length} gates failed: ${failed.map(gateLine).join('; ')}`;
  const details = { report: jsonReport(report) };
  return reportError(context, command, { code: 'GATE_FAILED', message, exitCode: EXIT.failure, details });
}
