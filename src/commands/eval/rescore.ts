import { resolve } from 'node:path';
import { jsonChunks, logNamedBy, RescoreService, writeAtomically } from '#evaluation';
import type { CommandContext } from '../../cli/command-context.js';
import { Interruption } from '../../cli/interruption.js';
import type { ParsedLine } from '../../cli/parse.js';
import { ProgressBar } from '../../cli/progress-bar.js';
import { createEvaluationApplication } from '../../evaluation/evaluation-application.js';
import { divertOutput } from '../../evaluation/evaluation.logger.js';
import { sourceDigest } from '../../evaluation/source-digest.js';
import { ModuleLoader } from '../../loading/module-loader.js';
import { endWithReport, shownPath } from './end-report.js';
import { EVAL_RESCORE } from './eval-logs.declarations.js';
import { openEvalFunctions } from './eval-functions.js';
import { evalVerdict } from './eval-verdict.js';
import { readLogMode } from './log-mode.js';
import { reportOfLogs } from './log-report.js';
import { readReportOptions } from './report.options.js';

export async function run(context: CommandContext, { options, arguments: [file = ''] }: ParsedLine): Promise<number> {
  const wanted = readReportOptions(options);
  const output = resolve(context.cwd, options.text('output') ?? '');
  const bar = new ProgressBar(context, 'Scoring');
  const logger = divertOutput(context, () => bar.clear());
  const interruption = new Interruption(false);
  const loaded = await new ModuleLoader().load(options.text('module') ?? '', context.cwd);
  const app = await createEvaluationApplication(context, loaded, logger);
  try {
    const { functions, files } = await openEvalFunctions(options.list('evalFn'), context.cwd);
    interruption.arm();
    const { logPath } = await app.get(RescoreService).rescore({
      log: logNamedBy(resolve(context.cwd, file)),
      agent: options.text('agent'),
      evalFunctions: functions,
      output,
      mode: readLogMode(options),
      agentVersion: await sourceDigest([loaded.file, ...files]),
      concurrency: options.integer('concurrency'),
      cancellation: interruption.cancellation,
      onScored: ({ done, total }) => bar.update(done, total),
    });
    bar.clear();
    const report = await reportOfLogs([logPath], wanted);
    await writeAtomically(output, jsonChunks(report));
    const { exitCode: interruptedBy } = interruption;
    const verdict = evalVerdict({ report, output: shownPath(context, output), interruptedBy });
    return endWithReport(context, EVAL_RESCORE.name, { report, paths: { reportPath: output, logPath }, verdict });
  } finally {
    bar.clear();
    interruption.dispose();
    await app.close();
  }
}
