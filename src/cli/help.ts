import { formOf, type CommandDeclaration, type OptionDeclaration } from './declaration.js';
import { EXIT_CODES } from './exit-codes.js';
import { GLOBAL_OPTIONS } from './global-options.js';

const WIDTH = 100;

/** `osmosis --help`. */
export function programHelp(commands: readonly CommandDeclaration[]): string {
  return sections([
    'usage: osmosis [options] <command>\n\nServe NestJS agents to reinforcement-learning trainers.',
    section('Commands', table(commands.map(({ name, summary }) => [name, summary]))),
    section('Options', optionTable(GLOBAL_OPTIONS)),
    section('Exit codes', exitTable(EXIT_CODES.map(({ code }) => code))),
    "Run 'osmosis <command> --help' for one command. A .env file, searched upwards from here, is loaded first.",
  ]);
}

/**
 * `osmosis <command> --help`.
 *
 * @param subcommands whose names begin with this one's
 */
export function commandHelp(command: CommandDeclaration, subcommands: readonly CommandDeclaration[] = []): string {
  const argumentsTable = (command.arguments ?? []).map(({ name, description, choices }): [string, string] => [
    `<${name}>`,
    choices ? `${description} (${choices.join(', ')})` : description,
  ]);
  const options = (command.options ?? []).filter(({ hidden }) => !hidden);
  return sections([
    `usage: ${usage(command)}\n\n${wrap(command.description, '')}`,
    section('Commands', table(subcommands.map(({ name, summary }) => [name, summary]))),
    section('Arguments', table(argumentsTable)),
    section('Options', optionTable(options)),
    section('Global options', optionTable(GLOBAL_OPTIONS)),
    section(
      'Examples',
      command.examples.map((example) => `  # ${example.description}\n  ${example.command}\n`).join(''),
    ),
    section('Exit codes', exitTable(exitCodesOf(command))),
  ]);
}

/** Help for the words that several commands begin with: `osmosis workspace`. */
export function groupHelp(group: string, commands: readonly CommandDeclaration[]): string {
  const usageLine = `usage: osmosis ${group} <command>`;
  return sections([usageLine, section('Commands', table(commands.map(({ name, summary }) => [name, summary])))]);
}

export function usage(command: CommandDeclaration): string {
  const required = (command.options ?? [])
    .filter((option) => option.required)
    .map((option) => {
      const { long, value } = formOf(option);
      return `--${long} <${value}>`;
    });
  const parameters = (command.arguments ?? []).map(({ name, required: must, repeatable }) => {
    const written = repeatable ? `${name}...` : name;
    return must ? `<${written}>` : `[${written}]`;
  });
  return ['osmosis', command.name, ...required, '[options]', ...parameters].join(' ');
}

export function exitCodesOf({ exitCodes = [], handlesSignals }: CommandDeclaration): readonly number[] {
  return [0, 1, 2, ...exitCodes, 130, ...(handlesSignals ? [] : [143])].sort((one, other) => one - other);
}

/** What an option's help says beside its flags. */
export function describeOption({ description, choices, env, default: fallback }: OptionDeclaration): string {
  const notes = [
    choices && `one of ${choices.join(', ')}`,
    fallback !== undefined && `default ${fallback}`,
    env && `environment ${env}`,
  ].filter(Boolean);
  return notes.length > 0 ? `${description} (${notes.join('; ')})` : description;
}

function optionTable(options: readonly OptionDeclaration[]): string {
  return table(
    options.map((option) => [
      option.flags.startsWith('-') && option.flags[1] === '-' ? `    ${option.flags}` : option.flags,
      describeOption(option),
    ]),
  );
}

function exitTable(codes: readonly number[]): string {
  return table(
    EXIT_CODES.filter(({ code }) => codes.includes(code)).map(({ code, meaning }) => [String(code), meaning]),
  );
}

function table(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(0, ...rows.map(([name]) => name.length));
  return rows.map(([name, text]) => `  ${name.padEnd(width)}  ${wrap(text, ' '.repeat(width + 4))}\n`).join('');
}

function wrap(text: string, indent: string): string {
  return text
    .split('\n')
    .map((paragraph) => wrapLine(paragraph, WIDTH - indent.length).join(`\n${indent}`))
    .join(`\n${indent}`);
}

function wrapLine(text: string, width: number): string[] {
  const lines: string[] = [''];
  for (const word of text.split(' ')) {
    const line = lines[lines.length - 1] ?? '';
    if (line !== '' && line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines;
}

function section(title: string, body: string): string {
  return body === '' ? '' : `${title}:\n${body.trimEnd()}`;
}

function sections(parts: readonly string[]): string {
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}
