import { join } from 'node:path';
import { evalLine, EvalRunner, loadEvaluation, logNamedBy, nameEvaluations, type NamedEvaluation } from '#evaluation';
import { note, type CommandContext } from '../../cli/command-context.js';
import type { ParsedLine } from '../../cli/parse.js';
import { openEvaluation, type EvaluationSession } from '../../evaluation/evaluation-session.js';
import { RunReporter } from '../../evaluation/run-reporter.js';
import { sourceDigest } from '../../evaluation/source-digest.js';
import { endWithReport, shownPath } from './end-report.js';
import { EVAL } from './eval.declaration.js';
import { openEvalFunctions } from './eval-functions.js';
import { evalVerdict } from './eval-verdict.js';
import { readEvalOptions, type EvalCommandOptions } from './eval.options.js';

export async function run(context: CommandContext, line: ParsedLine): Promise<number> {
  const options = readEvalOptions(line.options, context);
  note(context, `osmosis-eval v${context.version}`);
  const against = await earlierEvaluations(options);
  const reporter = new RunReporter(context, 'Evaluating', evalLine);
  const session = await openEvaluation(context, options, reporter.clear);
  try {
    const { functions, files } = await openEvalFunctions(options.evalFunctions, context.cwd);
    const { baseline, sliceBy, threshold, ks, gates, confidence, runsPerRow, mode } = options;
    const output = options.output ?? defaultOutput(context, session, new Date());
    const result = await session.app.get(EvalRunner).run({
      ...session.runOptions,
      baseline: baseline === null ? undefined : await session.models.open(baseline),
      evalFunctions: functions,
      runsPerRow,
      threshold,
      ks,
      sliceBy,
      gates,
      confidence,
      against,
      output,
      mode,
      agentVersion: await sourceDigest([session.loaded.file, ...files].filter((file) => file !== '')),
      version: context.version,
      onStart: (start) => reporter.start(session, start),
      onProgress: (progress) => reporter.add(progress),
    });
    reporter.clear();
    const { report, reportPath, logPath } = result;
    const { exitCode: interruptedBy } = session.interruption;
    const verdict = evalVerdict({ report, output: shownPath(context, output), interruptedBy });
    return endWithReport(context, EVAL.name, { report, paths: { reportPath, logPath }, verdict });
  } finally {
    reporter.clear();
    await session.close();
  }
}

/** Read before anything is paid for. */
async function earlierEvaluations({ compare, model, baseline }: EvalCommandOptions): Promise<NamedEvaluation[]> {
  const loaded = [];
  for (const path of compare) loaded.push({ path, data: await loadEvaluation(logNamedBy(path)) });
  return nameEvaluations(loaded, [model.model, baseline?.model ?? '']);
}

/** What nobody has named a file for is kept all the same: runs are paid for. */
function defaultOutput({ cwd }: CommandContext, { runOptions }: EvaluationSession, now: Date): string {
  const time = now.toISOString().replace(/[-:]|\.\d+/g, '');
  const agent = (runOptions.agent ?? 'agent').replace(/[^\w.-]/g, '-');
  return join(cwd, '.osmosis', 'evals', `${agent}-${time}.json`);
}
