import type { EvaluationRun, RecordReport, RubricReport, RunStatistics } from '#rubric/plain';
import { printable } from '../../cli/printable.js';
import { figure } from '../rubrics/text-table.js';

/** Every record with its runs, in the reference's form (spec C.7). */
export function runListing(report: RubricReport, redacted: boolean): string {
  return report.records.map((record) => recordBlock(record, redacted)).join('\n');
}

function recordBlock(record: RecordReport, redacted: boolean): string {
  const { runs, statistics } = record;
  const blocks = runs.map((run) => runBlock(run, redacted));
  if (runs.length > 1 || statistics.failure_count > 0) blocks.push(summaryBlock(statistics));
  return `[${printable(record.conversation_id)}]\n${blocks.join('\n')}`;
}

function runBlock(run: EvaluationRun, redacted: boolean): string {
  const { score, preview, error, duration_seconds: seconds } = run;
  const explanation = run.explanation ?? (redacted ? '(left out)' : '(none)');
  const fields: [string, string | null][] =
    run.status === 'success'
      ? [
          ['score', figure(score, 4)],
          ['preview', preview],
          ['explanation', explanation],
        ]
      : [
          ['error', error],
          ['preview', preview],
          ['explanation', run.explanation],
        ];
  const lines = [...fields, ['duration', `${seconds.toFixed(2)}s`] as const].flatMap(([name, text]) =>
    text === null ? [] : [`    ${name}: ${indented(text)}\n`],
  );
  return `  Run ${String(run.run_index).padStart(2, '0')} [${run.status.toUpperCase()}]\n${lines.join('')}`;
}

function indented(text: string): string {
  return printable(text).replace(/\r?\n/g, '\n      ');
}

function summaryBlock(statistics: RunStatistics): string {
  const { total_runs, success_count, failure_count } = statistics;
  const known = (value: number): number | null => (success_count > 0 ? value : null);
  const { average, variance, stdev, min, max } = statistics;
  const lines = [
    `total: ${total_runs}`,
    `successes: ${success_count}`,
    `failures: ${failure_count}`,
    `average: ${figure(known(average), 4)}`,
    `variance: ${figure(known(variance), 6)}`,
    `stdev: ${figure(known(stdev), 4)}`,
    `min/max: ${success_count > 0 ? `${min.toFixed(4)} / ${max.toFixed(4)}` : 'n/a'}`,
  ];
  return `  Summary:\n${lines.map((line) => `    ${line}\n`).join('')}`;
}
