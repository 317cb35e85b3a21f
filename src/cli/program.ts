import { isatty } from 'node:tty';
import type { CommandContext } from './command-context.js';
import { COMMANDS, type ProgramCommand } from './commands.js';
import { findDotenv } from './dotenv.js';
import { SIGNAL_EXIT, USAGE_EXIT } from './exit-codes.js';
import { findCommand, subcommandsOf } from './find-command.js';
import { commandHelp, groupHelp, programHelp } from './help.js';
import { packageInfo, PROTOCOLS, versionText } from './package-info.js';
import { painter, wantsColour } from './paint.js';
import { parseLine } from './parse.js';
import { describeError, reportError } from './report-error.js';

const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * The program: answers help, versions and mistakes by itself, from what the commands declare, and loads nothing but the
 * command that is to run. Gives the exit code.
 */
export async function main(argv: readonly string[]): Promise<number> {
  const flags = readGlobalFlags(argv);
  const { version } = packageInfo();
  const context = createContext(flags, version);
  const found = findCommand(COMMANDS, argv);
  const helpWanted = flags.has('--help') || argv.find((word) => !word.startsWith('-')) === 'help';

  if (flags.has('--version')) {
    const facts = { name: 'nestjs-osmosis', version, node: process.versions.node, protocols: PROTOCOLS };
    context.stdout.write(`${context.json ? JSON.stringify(facts) : versionText(version)}\n`);
    return 0;
  }
  if (helpWanted) return showHelp(context, argv);
  switch (found.kind) {
    case 'none': {
      const wrongFlag = argv.find((word) => !GLOBAL_FLAGS.has(word));
      if (wrongFlag !== undefined)
        return usageError(
          context,
          null,
          `Unknown option '${wrongFlag}'. Name a command first; run 'osmosis --help' to see them.`,
        );
      context.stdout.write(programHelp(declarations()));
      return 1; // as argparse-based programs do without a command (spec D.1)
    }
    case 'group':
      context.stdout.write(
        groupHelp(
          found.group,
          found.commands.map(({ declaration }) => declaration),
        ),
      );
      return 0;
    case 'unknown':
      return usageError(context, null, found.message);
    case 'command':
      return runCommand(context, found.command, found.rest);
  }
}

async function runCommand(context: CommandContext, command: ProgramCommand, rest: readonly string[]): Promise<number> {
  const { declaration, load } = command;
  const line = parseLine(declaration, rest);
  if (!line.ok) return usageError(context, declaration.name, line.message);
  if (!declaration.handlesSignals) {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(SIGNAL_EXIT[signal]));
  }
  // What a loaded module throws outside of everybody's reach.
  process.once('uncaughtException', (thrown) => {
    void describeError(thrown).then((error) => process.exit(reportError(context, declaration.name, error)));
  });
  // Our clock's timers hold no process: a command that only waits, as before another try, would be over.
  const hold = setInterval(() => {}, LONGEST_TIMER_MS);
  try {
    const run = await load();
    return await run(context, line.value);
  } catch (thrown) {
    return reportError(context, declaration.name, await describeError(thrown));
  } finally {
    clearInterval(hold);
  }
}

/** Help for the command that the line names, wherever `--help` stands; else for the program. */
function showHelp(context: CommandContext, argv: readonly string[]): number {
  const words = argv[0] === 'help' ? argv.slice(1) : argv;
  const found = findCommand(COMMANDS, words);
  if (found.kind === 'unknown') return usageError(context, null, found.message);
  const text =
    found.kind === 'command'
      ? commandHelp(
          found.command.declaration,
          subcommandsOf(COMMANDS, found.command.declaration.name).map(({ declaration }) => declaration),
        )
      : found.kind === 'group'
        ? groupHelp(
            found.group,
            found.commands.map(({ declaration }) => declaration),
          )
        : programHelp(declarations());
  context.stdout.write(text);
  return 0;
}

function usageError(context: CommandContext, command: string | null, message: string): number {
  return reportError(context, command, { code: 'USAGE', message, exitCode: USAGE_EXIT });
}

function declarations() {
  return COMMANDS.map(({ declaration }) => declaration);
}

/** Spellings of the global flags. They are read before the line is parsed: errors of parsing obey them. */
const GLOBAL_FLAGS: ReadonlyMap<string, string> = new Map([
  ['-h', '--help'],
  ['--help', '--help'],
  ['-V', '--version'],
  ['--version', '--version'],
  ['--json', '--json'],
  ['-q', '--quiet'],
  ['--quiet', '--quiet'],
  ['--no-color', '--no-color'],
  ['--debug', '--debug'],
]);

function readGlobalFlags(argv: readonly string[]): ReadonlySet<string> {
  const end = argv.indexOf('--');
  const words = end < 0 ? argv : argv.slice(0, end);
  return new Set(words.flatMap((word) => GLOBAL_FLAGS.get(word) ?? []));
}

/** Loads `.env` into the process first: whatever reads the environment later sees it. Existing variables win. */
function createContext(flags: ReadonlySet<string>, version: string): CommandContext {
  const environment = { ...process.env };
  const cwd = process.cwd();
  const dotenv = findDotenv(cwd);
  for (const [name, value] of Object.entries(dotenv?.values ?? {})) process.env[name] ??= value;
  const env = { ...dotenv?.values, ...environment };
  const terminal = { stdin: isatty(0), stdout: isatty(1), stderr: isatty(2) };
  const colours = !flags.has('--no-color');
  return {
    stdout: process.stdout,
    stderr: process.stderr,
    // Opened when a command reads it: a stream that nobody reads keeps pipes waiting.
    get stdin() {
      return process.stdin;
    },
    environment,
    dotenv,
    env,
    cwd,
    terminal,
    json: flags.has('--json'),
    quiet: flags.has('--quiet'),
    debug: flags.has('--debug'),
    paint: {
      stdout: painter(wantsColour(env, terminal.stdout, colours)),
      stderr: painter(wantsColour(env, terminal.stderr, colours)),
    },
    version,
  };
}
