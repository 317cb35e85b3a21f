import { EXIT } from '#domain';
import type { EvaluationReport } from '#evaluation/plain';
import { printable } from '../../cli/printable.js';
import type { Verdict } from './end-report.js';
import { gateVerdict } from './gate-verdict.js';

interface Ending {
  readonly report: EvaluationReport;
  /** Where the rest can be made, as the user would write it. */
  readonly output: string;
  /** Exit code of the signal that broke it off. */
  readonly interruptedBy: number | null;
}

/** Scores decide how a command ends by gates only; failed runs are results. Null when nothing is wrong. */
export function evalVerdict({ report, output, interruptedBy }: Ending): Verdict | null {
  const { runs, stopReason } = report.data;
  const kept = `${runs.length} runs are kept. Run the same command with -o ${output} --resume for the rest.`;
  if (interruptedBy !== null && stopReason !== null) {
    return { code: 'CANCELLED', message: `Interrupted. ${kept}`, exitCode: interruptedBy };
  }
  if (stopReason !== null) {
    const message = `Stopped, since every further run would fail as well: ${printable(stopReason)} ${kept}`;
    return { code: 'STOPPED_EARLY', message, exitCode: EXIT.failure };
  }
  if (report.primary.scorers.every(({ scored }) => scored === 0)) {
    const why = runs.find(({ error }) => error !== null)?.error ?? undefined;
    const first = why === undefined ? '' : ` The first error: ${printable(why)}`;
    return { code: 'NO_SCORES', message: `None of ${runs.length} runs gave a score.${first}`, exitCode: EXIT.failure };
  }
  return gateVerdict(report);
}
