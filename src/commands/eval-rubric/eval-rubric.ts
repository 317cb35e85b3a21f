import { note, warn, type CommandContext } from '../../cli/command-context.js';
import type { ParsedLine } from '../../cli/parse.js';
import { ProgressBar } from '../../cli/progress-bar.js';
import { formatFileProblem, type RunProgress, type SessionStart } from '#rubric/plain';
import { Interruption } from '../../cli/interruption.js';
import { openRubricServices } from '../rubrics/rubric-services.js';
import { readEvalRubricOptions } from './eval-rubric.options.js';
import { endSession } from './session-end.js';

export async function run(context: CommandContext, line: ParsedLine): Promise<number> {
  const { concurrency, ...request } = readEvalRubricOptions(line.options);
  const services = openRubricServices(context, concurrency);
  const interruption = new Interruption();
  const progress = new ProgressBar(context, 'Judging');
  const tally = new Tally();
  try {
    const result = await services.session.run({
      ...request,
      concurrency,
      directory: context.cwd,
      cancellation: interruption.cancellation,
      onStart: (start) => announce(context, start, request.resume),
      onProgress: (step) => progress.update(step.done, step.total, tally.add(step)),
    });
    progress.clear();
    return endSession(context, result, { redacted: request.redact, interruptedBy: interruption.exitCode });
  } finally {
    progress.clear();
    interruption.dispose();
    await services.close();
  }
}

/** The head of the reference's report (spec C.7). */
function announce(context: CommandContext, start: SessionStart, resume = false): void {
  for (const warning of start.warnings) warn(context, formatFileProblem(start.dataPath, warning));
  if (resume && start.resumedRuns === 0) note(context, 'There is nothing to resume; beginning anew.');
  if (context.json) return;
  const { config, provider, model, records, dataPath, number, resumedRuns } = start;
  const lines = [
    `Rubric '${config.rubricId}' (${config.sourceLabel}) -> provider '${provider}' model '${model}'`,
    `Loaded ${records} matching record(s) from ${dataPath}`,
    `Running ${number} evaluation(s) per record`,
    ...(resumedRuns > 0 ? [`Resuming after ${resumedRuns} run(s) of an earlier session`] : []),
  ];
  context.stdout.write(`${lines.join('\n')}\n\n`);
}

/** The figures beside the progress bar. */
class Tally {
  #sum = 0;
  #scored = 0;
  #failed = 0;

  add({ run: { score } }: RunProgress): string {
    if (score === null) this.#failed++;
    else {
      this.#sum += score;
      this.#scored++;
    }
    const mean = this.#scored === 0 ? '' : `mean ${(this.#sum / this.#scored).toFixed(4)}`;
    return [mean, this.#failed > 0 && `${this.#failed} failed`].filter(Boolean).join(', ');
  }
}
