import type { RubricSessionResult } from '#rubric/plain';
import { writeJson, type CommandContext } from '../../cli/command-context.js';
import { reportError } from '../../cli/report-error.js';
import { printable } from '../../cli/printable.js';
import { runListing } from './run-listing.js';
import { baselineBlock, scoreFigures } from './score-figures.js';

const COMMAND = 'eval-rubric';

interface SessionEnd {
  readonly redacted: boolean;
  /** Exit code of the signal that broke it off. */
  readonly interruptedBy: number | null;
}

/** Prints how a session ended, and gives the exit code. */
export function endSession(context: CommandContext, result: RubricSessionResult, end: SessionEnd): number {
  const { verdict } = result;
  if (!context.json) context.stdout.write(sessionText(context, result, end));
  switch (verdict.outcome) {
    case 'passed':
      if (context.json) writeJson(context, COMMAND, sessionData(result));
      return 0;
    case 'interrupted':
      return fail(context, result, 'CANCELLED', howToResume(result), end.interruptedBy ?? 1);
    case 'all_failed':
      return fail(context, result, 'NO_SCORES', `${verdict.reason} ${firstError(result)}`, 1);
    case 'below_min_mean':
      return fail(context, result, 'BELOW_MIN_MEAN', verdict.reason, 1);
  }
}

function sessionText(context: CommandContext, result: RubricSessionResult, end: SessionEnd): string {
  const { report, start } = result;
  const whole = !context.quiet && result.verdict.outcome !== 'interrupted';
  const comparison = report.baseline_comparison;
  const parts = [
    whole ? runListing(report, end.redacted) : '',
    scoreFigures(report, result.histogram),
    comparison ? baselineBlock(report.overall_statistics, comparison) : '',
    `Report written to ${start.outputPath}\n`,
  ];
  return parts.filter((part) => part !== '').join('\n');
}

/** What `--json` gives: the figures, and where everything else is. */
function sessionData({ start, report, histogram, verdict }: RubricSessionResult) {
  return {
    reportPath: start.outputPath,
    rubricId: report.rubric_id,
    provider: report.provider,
    model: report.model,
    records: start.records,
    runsPerRecord: start.number,
    resumedRuns: start.resumedRuns,
    outcome: verdict.outcome,
    statistics: report.overall_statistics,
    histogram,
    baselineComparison: report.baseline_comparison ?? null,
  };
}

function fail(
  context: CommandContext,
  result: RubricSessionResult,
  code: string,
  message: string,
  exitCode: number,
): number {
  return reportError(context, COMMAND, { code, message, exitCode, details: sessionData(result) });
}

function howToResume({ start, report }: RubricSessionResult): string {
  const done = report.overall_statistics.total_runs;
  const total = start.records * start.number;
  return `Interrupted after ${done} of ${total} runs, which are kept. Run the same command with --resume for the rest.`;
}

function firstError({ report }: RubricSessionResult): string {
  const error = report.records.flatMap((record) => record.runs).find((run) => run.error !== null)?.error;
  return error ? `The first error: ${printable(error.replace(/\s+/g, ' '))}` : '';
}
