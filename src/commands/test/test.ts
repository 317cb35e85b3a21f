import { EXIT } from '#domain';
import { InteractiveRunner, prepareOutput, testLine, TestRunner, writeAtomically } from '#evaluation';
import { note, type CommandContext } from '../../cli/command-context.js';
import type { ParsedLine } from '../../cli/parse.js';
import { openEvaluation } from '../../evaluation/evaluation-session.js';
import { RunReporter } from '../../evaluation/run-reporter.js';
import { openInteractiveIo } from './interactive-io.js';
import { testDocument } from './test-document.js';
import { endTest } from './test-end.js';
import { readTestOptions, type TestOptions } from './test.options.js';

export async function run(context: CommandContext, line: ParsedLine): Promise<number> {
  const options = readTestOptions(line.options, context);
  note(context, `osmosis-rollout-test v${context.version}${options.interactive ? ' (interactive)' : ''}`);
  return options.interactive ? step(context, options) : runAll(context, options);
}

async function runAll(context: CommandContext, options: TestOptions): Promise<number> {
  if (options.output !== null) await prepareOutput(options.output, 'fresh');
  const reporter = new RunReporter(context, 'Testing', testLine);
  const session = await openEvaluation(context, options, reporter.clear);
  try {
    const startedAt = new Date();
    const result = await session.app.get(TestRunner).run({
      ...session.runOptions,
      onStart: (start) => reporter.start(session, start),
      onProgress: (progress) => reporter.add(progress),
    });
    reporter.clear();
    const document = testDocument(result, { context, runOptions: session.runOptions, startedAt });
    if (options.output !== null) await writeAtomically(options.output, [`${JSON.stringify(document, null, 2)}\n`]);
    return endTest(context, { result, document, output: options.output, interruptedBy: session.interruption.exitCode });
  } finally {
    reporter.clear();
    await session.close();
  }
}

/** Ends with 0 whatever becomes of the rows (spec F.7). */
async function step(context: CommandContext, options: TestOptions): Promise<number> {
  const session = await openEvaluation(context, options);
  session.interruption.arm();
  const io = openInteractiveIo(context, session.interruption);
  try {
    await session.app.get(InteractiveRunner).run({ ...session.runOptions, io, row: options.row });
    return session.interruption.exitCode ?? EXIT.ok;
  } finally {
    io.close();
    await session.close();
  }
}
