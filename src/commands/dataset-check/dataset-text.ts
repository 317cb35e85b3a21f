import {
  oneLine,
  type ColumnSummary,
  type DatasetProblem,
  type DatasetReport,
  type DatasetRow,
} from '#evaluation/plain';
import { counted } from '../../cli/counted.js';
import type { Paint } from '../../cli/paint.js';
import { printable } from '../../cli/printable.js';
import { tableText } from '../../evaluation/table-text.js';

/** Of a value in the sample. */
const LONGEST_VALUE = 90;

/** What a check has found, for people. */
export function datasetText(report: DatasetReport, paint: Paint): string {
  const { path, rows, valid, invalid, complete, problems, columns, notes, sample } = report;
  const whole = complete ? '' : paint('red', ', not read to the end');
  const wrong = invalid > 0 ? `, ${paint('red', `${invalid} unusable`)}` : '';
  return [
    `${path === '-' ? 'Standard input' : printable(path)}: ${counted(rows, 'row')}, ${valid} usable${wrong}${whole}\n`,
    ...(problems.length > 0 ? [problemsText(problems, paint)] : []),
    ...(columns.length > 0 ? [columnsText(columns, paint)] : []),
    ...(notes.length > 0 ? [notes.map((each) => `${paint('yellow', 'Note:')} ${printable(each)}\n`).join('')] : []),
    ...(sample.length > 0 ? [sampleText(sample, paint)] : []),
  ].join('\n');
}

function problemsText(problems: readonly DatasetProblem[], paint: Paint): string {
  const blocks = problems.map(({ kind, field, count, examples }) => {
    const head = `${paint('red', `${count} ×`)} ${kind}${field === null ? '' : ` (${printable(field)})`}`;
    const left = count > examples.length ? [`… and ${count - examples.length} more`] : [];
    return `${head}\n${[...examples.map(printable), ...left].map((example) => `    ${example}\n`).join('')}`;
  });
  return `${paint('bold', 'Problems')}\n${blocks.join('')}`;
}

function columnsText(columns: readonly ColumnSummary[], paint: Paint): string {
  const titles = ['Column', 'Filled', 'Values'];
  return tableText(
    {
      title: 'Columns of the usable rows',
      columns: titles.map((title) => ({ title, width: 0 })),
      rows: columns.map(({ name, filled, types }) => [
        name,
        String(filled),
        Object.entries(types)
          .map(([type, count]) => `${type} ${count}`)
          .join(', '),
      ]),
    },
    paint,
  );
}

function sampleText(sample: readonly DatasetRow[], paint: Paint): string {
  const blocks = sample.map(({ index, line, values }) => {
    const lines = Object.entries(values).map(([name, value]) => `    ${name}: ${valueText(value)}`);
    return `  row ${index}${line === undefined ? '' : ` (line ${line})`}\n${lines.map(printable).join('\n')}\n`;
  });
  return `${paint('bold', 'First usable rows')}\n${blocks.join('')}`;
}

function valueText(value: unknown): string {
  return oneLine(typeof value === 'string' ? value : JSON.stringify(value), LONGEST_VALUE);
}
