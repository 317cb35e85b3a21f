import { testSummary, type TestResult } from '#evaluation';
import { note, writeJson, type CommandContext } from '../../cli/command-context.js';
import { counted } from '../../cli/counted.js';
import { printable } from '../../cli/printable.js';
import { reportError } from '../../cli/report-error.js';
import { tableText } from '../../evaluation/table-text.js';
import { failuresText } from './failures-text.js';
import { TEST } from './test.declaration.js';
import { testTables } from './test-tables.js';

interface TestEnd {
  readonly result: TestResult;
  readonly document: Readonly<Record<string, unknown>>;
  /** Where the document was written. */
  readonly output: string | null;
  /** Exit code of the signal that broke it off. */
  readonly interruptedBy: number | null;
}

/** Prints how a test ended, and gives the exit code: 1 when any row failed (spec D.10), or was not run. */
export function endTest(context: CommandContext, end: TestEnd): number {
  const { result, document, output } = end;
  if (!context.json) context.stdout.write(testText(context, result));
  if (output !== null) note(context, `\nResults written to ${output}`);
  const verdict = verdictOf(end);
  if (verdict) return reportError(context, TEST.name, { ...verdict, details: document });
  if (context.json) writeJson(context, TEST.name, document);
  return 0;
}

function testText(context: CommandContext, result: TestResult): string {
  const paint = context.paint.stdout;
  return [
    ...testTables(result).map((table) => tableText(table, paint)),
    ...(result.failed > 0 ? [failuresText(result.runs, paint)] : []),
    `${testSummary(result).map(printable).join('\n')}\n`,
  ].join('\n');
}

function verdictOf({ result, interruptedBy }: TestEnd): { code: string; message: string; exitCode: number } | null {
  const { runs, failed, stopReason } = result;
  if (interruptedBy !== null) {
    const message = `Interrupted after ${counted(runs.length, 'row')}; theirs are the results.`;
    return { code: 'CANCELLED', message, exitCode: interruptedBy };
  }
  if (stopReason !== null) {
    const message = `Stopped after ${counted(runs.length, 'row')}: every further one would fail as well.`;
    return { code: 'STOPPED_EARLY', message, exitCode: 1 };
  }
  if (failed === 0) return null;
  return { code: 'ROWS_FAILED', message: `${failed} of ${counted(runs.length, 'row')} failed.`, exitCode: 1 };
}
