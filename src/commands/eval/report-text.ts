import { evalSummary, evalTables, gateLine, renderTable, type EvaluationReport } from '#evaluation/plain';
import { warn, type CommandContext } from '../../cli/command-context.js';

/** The report on stdout, its warnings on stderr. */
export function writeReport(context: CommandContext, report: EvaluationReport): void {
  for (const warning of report.warnings) warn(context, warning);
  if (context.json) return;
  const { stdout: paint } = context.paint;
  const tables = evalTables(report).map((table) => `${paint('bold', table.title)}\n${renderTable(table)}`);
  const gates = report.gates.map((gate) => paint(gate.passed ? 'green' : 'red', gateLine(gate)));
  const parts = [evalSummary(report).join('\n'), ...tables, ...(gates.length > 0 ? [gates.join('\n')] : [])];
  context.stdout.write(`${parts.join('\n\n')}\n`);
}
