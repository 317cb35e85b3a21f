import { formatCost, formatTokens, type RunProgress, type RunStart } from '#evaluation';
import { note, type CommandContext } from '../cli/command-context.js';
import { counted } from '../cli/counted.js';
import { printable } from '../cli/printable.js';
import { ProgressBar } from '../cli/progress-bar.js';
import type { EvaluationSession } from './evaluation-session.js';

/** How many runs are each told of on a terminal; with more, only those that failed. */
const MOST_LINES = 100;

/**
 * Tells on stderr how the runs go: what is run before the first one, a line for each finished run, and on a terminal a
 * bar below them. Nothing of it with `--quiet` or `--json`.
 */
export class RunReporter {
  readonly #bar: ProgressBar;

  /** @param lineOf a finished run in one line */
  constructor(
    private readonly context: CommandContext,
    label: string,
    private readonly lineOf: (progress: RunProgress) => string,
  ) {
    this.#bar = new ProgressBar(context, label);
  }

  /** Takes the bar away, so that other output stands alone. */
  readonly clear = (): void => this.#bar.clear();

  /** What is run with what (spec F.4). From here on Ctrl-C keeps what is done. */
  start({ runOptions, loaded, interruption }: EvaluationSession, start: RunStart): void {
    interruption.arm();
    const { context } = this;
    note(context, `Model: ${runOptions.model.name}`);
    note(context, `Agent: ${start.agent} (${loaded.label})`);
    note(context, `Tools: ${start.tools.length}${start.tools.length > 0 ? ` (${start.tools.join(', ')})` : ''}`);
    note(context, `Dataset: ${runOptions.dataset.path}, ${counted(start.rows, 'row')}`);
    note(context, `${counted(start.total, 'run')}, ${start.concurrency} at once`);
    if (start.restored > 0) note(context, `${counted(start.restored, 'run')} of an earlier session kept`);
    if (start.retried > 0) note(context, `${counted(start.retried, 'failed run')} of an earlier session made again`);
    note(context, '');
    this.#bar.update(start.restored, start.total);
  }

  add(progress: RunProgress): void {
    const { done, total, run } = progress;
    if (!this.context.terminal.stderr || total <= MOST_LINES || !run.success) {
      this.#bar.clear();
      note(this.context, printable(this.lineOf(progress)));
    }
    this.#bar.update(done, total, figures(progress));
  }
}

/** `12 passed, 1 failed (model: 1), 118 runs/min, 12,345 tokens, $0.0012`. */
function figures({ passed, failed, failures, runsPerMinute, tokens, cost }: RunProgress): string {
  const classes = Object.entries(failures).map(([name, count]) => `${name}: ${count}`);
  return [
    `${passed} passed`,
    ...(failed > 0 ? [`${failed} failed (${classes.join(', ')})`] : []),
    `${formatTokens(Math.round(runsPerMinute))} runs/min`,
    `${formatTokens(tokens)} tokens`,
    ...(cost === null ? [] : [formatCost(cost)]),
  ].join(', ');
}
