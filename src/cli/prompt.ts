import { createInterface, type Interface } from 'node:readline';
import { OsmosisError } from '#domain';
import type { CommandContext } from './command-context.js';

/**
 * Questions to whoever sits at the terminal. They go to stderr; stdout is for results.
 *
 * Asks only where somebody can answer: on a terminal, not with `--json` or `--quiet`, not in CI (case CL-13).
 */
export class Prompt {
  #interface: Interface | null = null;
  #lines: AsyncIterator<string> | null = null;

  constructor(private readonly context: CommandContext) {}

  get isPossible(): boolean {
    const { terminal, json, quiet, env } = this.context;
    const inCi = !['', '0', 'false'].includes(env['CI']?.toLowerCase() ?? '');
    return terminal.stdin && terminal.stdout && terminal.stderr && !json && !quiet && !inCi;
  }

  /** @throws OsmosisError `USAGE` saying what would be asked, and which options make the question unnecessary */
  require(question: string, cure: string): void {
    if (this.isPossible) return;
    throw new OsmosisError('USAGE', `${question} Nobody can be asked here. ${cure}`);
  }

  /** The answer without the blanks around it; null at the end of the input (Ctrl-D). */
  async ask(question: string): Promise<string | null> {
    this.context.stderr.write(question);
    // One reader for all questions: what was typed ahead stays for the next. The terminal keeps its own line editing,
    // so that Ctrl-C remains a signal.
    this.#interface ??= createInterface({ input: this.context.stdin, terminal: false });
    this.#lines ??= this.#interface[Symbol.asyncIterator]();
    const line = await this.#lines.next();
    if (line.done !== true) return line.value.trim();
    this.context.stderr.write('\n');
    return null;
  }

  /** Only `y` and `yes` are a yes. */
  async confirm(question: string): Promise<boolean> {
    return /^y(es)?$/i.test((await this.ask(`${question} [y/N] `)) ?? '');
  }

  close(): void {
    this.#interface?.close();
  }
}
