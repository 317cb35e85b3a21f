import { EXIT } from '#domain';
import { checkDataset, type DatasetReport } from '#evaluation/plain';
import { writeJson, type CommandContext } from '../../cli/command-context.js';
import { counted } from '../../cli/counted.js';
import type { ParsedLine } from '../../cli/parse.js';
import { reportError } from '../../cli/report-error.js';
import { readDatasetSpec } from '../../evaluation/dataset-options.js';
import { DATASET_CHECK } from './dataset-check.declaration.js';
import { datasetText } from './dataset-text.js';

export async function run(context: CommandContext, line: ParsedLine): Promise<number> {
  const spec = readDatasetSpec(line.arguments[0] ?? '', line.options);
  // Reading standard input at all would keep the program waiting for it.
  const report = await checkDataset(spec, spec.path === '-' ? context.stdin : undefined);
  if (!context.json) context.stdout.write(datasetText(report, context.paint.stdout));
  const fault = faultOf(report);
  if (fault !== undefined) {
    const details = { ...report };
    return reportError(context, DATASET_CHECK.name, {
      code: 'DATASET_INVALID',
      message: fault,
      exitCode: EXIT.failure,
      details,
    });
  }
  if (context.json) writeJson(context, DATASET_CHECK.name, report);
  return EXIT.ok;
}

function faultOf({ path, rows, invalid, complete }: DatasetReport): string | undefined {
  const file = path === '-' ? 'Standard input' : path;
  if (!complete) return `${file} cannot be read to its end.`;
  if (rows === 0) return `${file} has no rows to use.`;
  return invalid > 0 ? `${file}: ${invalid} of ${counted(rows, 'row')} cannot be used.` : undefined;
}
