import { createInterface } from 'node:readline';
import { StreamLines, type InteractiveIo } from '#evaluation';
import type { CommandContext } from '../../cli/command-context.js';
import type { Interruption } from '../../cli/interruption.js';
import { printable } from '../../cli/printable.js';

export interface ClosableIo extends InteractiveIo {
  close(): void;
}

/** Where a session talks: with line editing and history on a terminal; plainly on a pipe, for scripts. */
export function openInteractiveIo(context: CommandContext, interruption: Interruption): ClosableIo {
  const { stdin, stdout } = context.terminal;
  const io = stdin && stdout ? terminalIo(context, interruption) : pipeIo(context);
  // A signal also ends the wait for a line.
  interruption.cancellation.onCancel(() => io.close());
  return io;
}

/** What is read is written as well, so that the output reads like the session at a terminal. */
function pipeIo({ stdin, stdout }: CommandContext): ClosableIo {
  const lines = new StreamLines(stdin);
  return {
    write: (text) => void stdout.write(printable(text)),
    readLine: async (prompt) => {
      stdout.write(prompt);
      const line = await lines.next();
      stdout.write(`${printable(line ?? '')}\n`);
      return line;
    },
    close: () => lines.close(),
  };
}

/** Ctrl-C ends the session at a prompt, like Ctrl-D (spec F.7); while the agent runs, it interrupts. */
function terminalIo({ stdin, stdout }: CommandContext, interruption: Interruption): ClosableIo {
  const terminal = createInterface({
    input: stdin,
    output: process.stdout,
    historySize: 500,
    removeHistoryDuplicates: true,
  });
  let answer: ((line: string | null) => void) | null = null;
  let isClosed = false;
  const give = (line: string | null): void => {
    const waiting = answer;
    answer = null;
    waiting?.(line);
  };
  terminal.on('line', give);
  terminal.on('SIGINT', () => {
    if (!answer) return interruption.interrupt('SIGINT');
    stdout.write('\n');
    give(null);
  });
  terminal.on('close', () => {
    isClosed = true;
    give(null);
  });
  return {
    write: (text) => void stdout.write(printable(text)),
    readLine: (prompt) =>
      new Promise((resolve) => {
        if (isClosed) return resolve(null);
        answer = resolve;
        terminal.setPrompt(prompt);
        terminal.prompt();
      }),
    close: () => terminal.close(),
  };
}
