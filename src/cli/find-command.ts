import type { ProgramCommand } from './commands.js';
import { nearest } from './suggest.js';

export type Found =
  | { readonly kind: 'command'; readonly command: ProgramCommand; readonly rest: readonly string[] }
  /** The words begin the names of several commands, and name none. */
  | { readonly kind: 'group'; readonly group: string; readonly commands: readonly ProgramCommand[] }
  | { readonly kind: 'none' }
  | { readonly kind: 'unknown'; readonly message: string };

/** Finds the command that a line names. Only flags may stand before it. */
export function findCommand(commands: readonly ProgramCommand[], argv: readonly string[]): Found {
  const start = argv.findIndex((word) => !word.startsWith('-'));
  const first = argv[start];
  if (first === undefined) return { kind: 'none' };
  const flags = argv.slice(0, start);
  const second = argv[start + 1];

  for (const name of second === undefined ? [first] : [`${first} ${second}`, first]) {
    const command = commands.find(({ declaration }) => declaration.name === name);
    if (!command || misnamesSubcommand(commands, command, second)) continue;
    return { kind: 'command', command, rest: [...flags, ...argv.slice(start + name.split(' ').length)] };
  }
  const group = subcommandsOf(commands, first);
  if (group.length > 0 && (second === undefined || second.startsWith('-'))) {
    return { kind: 'group', group: first, commands: group };
  }
  const typed = group.length > 0 ? `${first} ${second}` : first;
  const meant = nearest(
    typed,
    commands.map(({ declaration }) => declaration.name),
  );
  const suggestion = meant ? `Did you mean '${meant}'? ` : '';
  const message = `Unknown command '${typed}'. ${suggestion}Run 'osmosis --help' to see the commands.`;
  return { kind: 'unknown', message };
}

/** `eval` is a command, and `eval report` another: `eval reprot` is neither, since `eval` takes no arguments. */
function misnamesSubcommand(
  commands: readonly ProgramCommand[],
  { declaration }: ProgramCommand,
  second: string | undefined,
): boolean {
  if (second === undefined || second.startsWith('-') || declaration.name.includes(' ')) return false;
  return (declaration.arguments ?? []).length === 0 && subcommandsOf(commands, declaration.name).length > 0;
}

/** Commands whose names begin with another's. */
export function subcommandsOf(commands: readonly ProgramCommand[], name: string): ProgramCommand[] {
  return commands.filter(({ declaration }) => declaration.name.startsWith(`${name} `));
}
