import { evalSummary, evalTables, gateLine, type EvaluationReport } from '#evaluation/plain';
import { warn, type CommandContext } from '../../cli/command-context.js';
import { printable } from '../../cli/printable.js';
import { tableText } from '../../evaluation/table-text.js';

/** The report on stdout, its warnings on stderr. With `--json` it is the caller's document. */
export function writeReport(context: CommandContext, report: EvaluationReport): void {
  if (!context.json) context.stdout.write(reportText(context, report));
  for (const warning of report.warnings) warn(context, printable(warning));
}

function reportText({ paint }: CommandContext, report: EvaluationReport): string {
  const tables = evalTables(report).map((table) => tableText(table, paint.stdout));
  const gates = report.gates.map((gate) => `${paint.stdout(gate.passed ? 'green' : 'red', gateLine(gate))}\n`);
  const summary = `${evalSummary(report).map(printable).join('\n')}\n`;
  return [summary, ...tables, ...(gates.length > 0 ? [gates.join('')] : [])].join('\n');
}
