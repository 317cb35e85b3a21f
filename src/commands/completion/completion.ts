import { writeJson, type CommandContext } from '../../cli/command-context.js';
import type { CommandDeclaration } from '../../cli/declaration.js';
import type { ParsedLine } from '../../cli/parse.js';
import { bashScript } from './bash.js';
import { fishScript } from './fish.js';
import { completableCommands, type CompletableCommand } from './completable.js';
import { zshScript } from './zsh.js';

const SCRIPTS: Readonly<Record<string, (commands: readonly CompletableCommand[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** @param commands what is to be completed: all commands of the program */
export async function run(
  commands: readonly CommandDeclaration[],
  context: CommandContext,
  line: ParsedLine,
): Promise<number> {
  const shell = line.arguments[0] ?? '';
  const write = SCRIPTS[shell];
  if (!write) throw new TypeError(`no completion script for '${shell}'`);
  const script = write(completableCommands(commands));
  if (context.json) writeJson(context, 'completion', { shell, script });
  else context.stdout.write(script);
  return 0;
}
