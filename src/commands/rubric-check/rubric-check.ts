import { resolve } from 'node:path';
import { OsmosisError } from '#domain';
import { ensureWritable, loadRubricSuite, writeAtomically, type TrustReport } from '#rubric/plain';
import { note, writeJson, type CommandContext } from '../../cli/command-context.js';
import type { ParsedLine } from '../../cli/parse.js';
import { ProgressBar } from '../../cli/progress-bar.js';
import { reportError } from '../../cli/report-error.js';
import { Interruption } from '../../cli/interruption.js';
import { DEFAULT_CONCURRENCY, openRubricServices } from '../rubrics/rubric-services.js';
import { trustText } from './trust-text.js';

const COMMAND = 'rubric check';

export async function run(context: CommandContext, line: ParsedLine): Promise<number> {
  const { options } = line;
  const configPath = resolve(context.cwd, line.arguments[0] ?? '');
  const rubricId = options.text('rubric') ?? (await onlyRubricOf(configPath));
  const output = options.text('output');
  const outputPath = output === undefined ? null : resolve(context.cwd, output);
  if (outputPath !== null) await ensureWritable(outputPath);

  const concurrency = options.integer('concurrency') ?? DEFAULT_CONCURRENCY;
  const services = openRubricServices(context, concurrency);
  const interruption = new Interruption();
  const progress = new ProgressBar(context, 'Judging');
  try {
    const report = await services.trust.check({
      rubricId,
      configPath,
      dataPath: options.text('data') ?? '',
      directory: context.cwd,
      runs: options.integer('runs'),
      threshold: options.number('threshold'),
      probeRecords: options.integer('probeRecords'),
      concurrency,
      onProgress: (done, total) => progress.update(done, total),
      cancellation: interruption.cancellation,
    });
    progress.clear();
    if (outputPath !== null) await writeAtomically(outputPath, `${JSON.stringify(report, null, 2)}\n`);
    return endCheck(context, report, outputPath);
  } catch (error) {
    if (interruption.exitCode === null) throw error;
    progress.clear();
    const message = 'Interrupted. A check that is not whole says nothing, so nothing is kept.';
    return reportError(context, COMMAND, { code: 'CANCELLED', message, exitCode: interruption.exitCode });
  } finally {
    progress.clear();
    interruption.dispose();
    await services.close();
  }
}

function endCheck(context: CommandContext, report: TrustReport, outputPath: string | null): number {
  if (!context.json) context.stdout.write(trustText(report, context.paint.stdout));
  if (outputPath !== null) note(context, `Report written to ${outputPath}`);
  const { findings } = report;
  if (findings.length === 0) {
    if (context.json) writeJson(context, COMMAND, report);
    return 0;
  }
  const count = findings.length === 1 ? '1 finding speaks' : `${findings.length} findings speak`;
  const message = `${count} against training with this judge. docs/judge.md says what helps against each.`;
  return reportError(context, COMMAND, { code: 'JUDGE_NOT_TRUSTED', message, exitCode: 1, details: { ...report } });
}

async function onlyRubricOf(configPath: string): Promise<string> {
  const ids = (await loadRubricSuite(configPath)).availableIds();
  const [only] = ids;
  if (only !== undefined && ids.length === 1) return only;
  throw new OsmosisError('USAGE', `${configPath} has several rubrics. Name one with --rubric: ${ids.join(', ')}.`);
}
