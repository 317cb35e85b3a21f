import type { CommandDeclaration, OptionDeclaration } from '../cli/declaration.js';
import { EXIT_CODES } from '../cli/exit-codes.js';
import { GLOBAL_OPTIONS } from '../cli/global-options.js';
import { describeOption, exitCodesOf, usage } from '../cli/help.js';
import { code, markdownTable } from './markdown.js';

export function cliPage(commands: readonly CommandDeclaration[]): string {
  return (
    [
      '# The command line',
      '<!-- Made by `npm run docs:cli` from the declarations in src/commands. Do not edit. -->',
      'The package brings a program, `osmosis`. Results go to stdout; notes, warnings, errors and logs go to stderr. ' +
        'A `.env` file, searched from the current directory upwards, is loaded first; variables that exist already win.',
      markdownTable(
        ['command', 'does'],
        commands.map(({ name, summary }) => [
          `[${code(`osmosis ${name}`)}](#osmosis-${name.replaceAll(' ', '-')})`,
          summary,
        ]),
      ).trim(),
      '## Options of every command',
      optionTable(GLOBAL_OPTIONS),
      'Long options may be shortened as long as they stay unique: `--mod` is `--module`.',
      '## Output for programs',
      'With `--json`, a command writes one line of JSON to stdout. A success is ' +
        '`{"schemaVersion":1,"ok":true,"command":…,"data":…}`, a failure ' +
        '`{"schemaVersion":1,"ok":false,"command":…,"version":…,"error":{"code":…,"message":…,"exitCode":…,"details":…}}`. ' +
        'Warnings are JSON lines on stderr. `osmosis serve` writes its event `listening` in place of a result, also ' +
        'without `--json` when stdout is no terminal.',
      '## Exit codes',
      exitTable(EXIT_CODES.map(({ code: exit }) => exit)),
      'A reader that leaves early (`osmosis … | head`) is no error: the program ends with 0.',
      ...commands.map(commandSection),
    ].join('\n\n') + '\n'
  );
}

function commandSection(command: CommandDeclaration): string {
  const options = (command.options ?? []).filter(({ hidden }) => !hidden);
  const parameters = command.arguments ?? [];
  return [
    `## osmosis ${command.name}`,
    `\`\`\`\n${usage(command)}\n\`\`\``,
    command.description.replaceAll('\n', '\n\n'),
    ...(parameters.length > 0
      ? [
          markdownTable(
            ['argument', 'meaning'],
            parameters.map(({ name, description, choices }) => [
              code(`<${name}>`),
              choices ? `${description}: ${choices.map(code).join(', ')}` : description,
            ]),
          ).trim(),
        ]
      : []),
    ...(options.length > 0 ? [optionTable(options)] : []),
    'Examples:',
    `\`\`\`sh\n${command.examples.map((example) => `# ${example.description}\n${example.command}`).join('\n\n')}\n\`\`\``,
    `Exit codes: ${exitCodesOf(command).join(', ')}.`,
  ].join('\n\n');
}

function optionTable(options: readonly OptionDeclaration[]): string {
  return markdownTable(
    ['option', 'meaning'],
    options.map((option) => [code(option.flags), describeOption(option)]),
  ).trim();
}

function exitTable(codes: readonly number[]): string {
  const rows = EXIT_CODES.filter((row) => codes.includes(row.code)).map((row) => [String(row.code), row.meaning]);
  return markdownTable(['code', 'meaning'], rows).trim();
}
