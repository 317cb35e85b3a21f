import {
  completionSteps,
  type CompletableCommand,
  type CompletableOption,
  type CompletionStep,
} from './completable.js';

export function fishScript(commands: readonly CompletableCommand[]): string {
  const lines = [...completionSteps(commands).flatMap(stepLines), ...commands.flatMap(commandLines)];
  return `# osmosis completion for fish\ncomplete -c osmosis -f\n${lines.map((line) => `complete -c osmosis ${line}\n`).join('')}`;
}

function stepLines({ after, words }: CompletionStep): string[] {
  const none = `not __fish_seen_subcommand_from ${words.map(({ word }) => word).join(' ')}`;
  const condition = after === '' ? none : `__fish_seen_subcommand_from ${after}; and ${none}`;
  return words.map(({ word, summary }) => `-n ${quote(condition)} -a ${word} -d ${quote(summary)}`);
}

function commandLines({ name, options, words }: CompletableCommand): string[] {
  const seen = name
    .split(' ')
    .map((word) => `__fish_seen_subcommand_from ${word}`)
    .join('; and ');
  return [...options.map(optionWords), ...words.map((word) => `-a ${word}`)].map((rest) => `-n ${quote(seen)} ${rest}`);
}

function optionWords({ long, short, description, value, words }: CompletableOption): string {
  const parts = [short && `-s ${short}`, `-l ${long}`, `-d ${quote(description)}`];
  if (value !== undefined) parts.push(value === 'path' ? '-r -F' : '-x');
  if (words.length > 0) parts.push(`-a ${quote(words.join(' '))}`);
  return parts.filter(Boolean).join(' ');
}

function quote(text: string): string {
  return `'${text.replace(/['\\]/g, '\\$&')}'`;
}
