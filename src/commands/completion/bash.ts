import {
  completionSteps,
  type CompletableCommand,
  type CompletableOption,
  type CompletionStep,
} from './completable.js';

/** Compares the words that were typed, joined and closed by a blank, with the names of commands: the longer ones first. */
export function bashScript(commands: readonly CompletableCommand[]): string {
  const groups = completionSteps(commands).reverse();
  return `# osmosis completion for bash
_osmosis() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" given="" word
  COMPREPLY=()
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) given="$given$word " ;; esac
  done
  case "$given" in
${[...commands.map(commandCase), ...groups.map(stepCase)].join('\n')}
  esac
}
complete -F _osmosis osmosis
`;
}

function commandCase({ name, options, words }: CompletableCommand): string {
  const names = options.flatMap(spellings).concat(words).join(' ');
  const values = options.filter(({ value }) => value !== undefined).map(valueCase);
  return `    '${name} '*)
      case "$previous" in
${[...values, `        *) ${reply(names)} ;;`].join('\n')}
      esac ;;`;
}

function stepCase({ after, words }: CompletionStep): string {
  const names = words.map(({ word }) => word).join(' ');
  return after === '' ? `    *) ${reply(`${names} --help --version`)} ;;` : `    '${after} '*) ${reply(names)} ;;`;
}

function valueCase(option: CompletableOption): string {
  const answer = option.value === 'path' ? 'COMPREPLY=($(compgen -f -- "$current"))' : reply(option.words.join(' '));
  return `        ${spellings(option).join('|')}) ${answer} ;;`;
}

function reply(words: string): string {
  return `COMPREPLY=($(compgen -W '${words}' -- "$current"))`;
}

function spellings({ long, short }: CompletableOption): string[] {
  return short ? [`--${long}`, `-${short}`] : [`--${long}`];
}
