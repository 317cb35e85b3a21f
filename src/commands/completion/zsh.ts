import {
  completionSteps,
  type CompletableCommand,
  type CompletableOption,
  type CompletionStep,
} from './completable.js';

export function zshScript(commands: readonly CompletableCommand[]): string {
  const groups = completionSteps(commands).reverse();
  return `#compdef osmosis
# osmosis completion for zsh
_osmosis() {
  local given="\${(j: :)\${words[2,CURRENT-1]:#-*}} "
  local -a choices
  case "$given" in
${[...commands.map(commandCase), ...groups.map(stepCase)].join('\n')}
  esac
}
compdef _osmosis osmosis
`;
}

function commandCase({ name, options, words }: CompletableCommand): string {
  const specs = options.map(optionSpec);
  if (words.length > 0) specs.push(quote(`${name.split(' ').length + 1}:argument:(${words.join(' ')})`));
  return `    '${name} '*)\n      _arguments \\\n${specs.map((spec) => `        ${spec}`).join(' \\\n')}\n      ;;`;
}

function stepCase({ after, words }: CompletionStep): string {
  const choices = words.map(({ word, summary }) => quote(`${word}:${summary}`)).join(' ');
  return `    ${after === '' ? '*' : `'${after} '*`})\n      choices=(${choices})\n      _describe 'command' choices\n      ;;`;
}

function optionSpec({ long, short, description, value, words }: CompletableOption): string {
  const text = `[${description.replace(/[[\]:\\]/g, '\\$&')}]`;
  const action = value === 'words' ? `:value:(${words.join(' ')})` : value === 'path' ? ':path:_files' : ':value:';
  const suffix = value === undefined ? text : `${text}${action}`;
  if (!short) return quote(`--${long}${suffix}`);
  return `${quote(`(-${short} --${long})`)}{-${short},--${long}}${quote(suffix)}`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
