import { formOf, type CommandDeclaration, type OptionDeclaration } from '../../cli/declaration.js';
import { GLOBAL_OPTIONS } from '../../cli/global-options.js';

export interface CompletableOption {
  readonly long: string;
  readonly short: string | undefined;
  readonly description: string;
  /** Undefined for a flag. */
  readonly value: 'words' | 'path' | 'other' | undefined;
  /** The words to choose from. */
  readonly words: readonly string[];
}

export interface CompletableCommand {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly CompletableOption[];
  /** What its first argument may be, or which words make another command of it. */
  readonly words: readonly string[];
}

/** Sub-commands first: scripts take the first name that fits. */
export function completableCommands(commands: readonly CommandDeclaration[]): CompletableCommand[] {
  const longestFirst = [...commands].sort((a, b) => wordsIn(b.name) - wordsIn(a.name));
  return longestFirst.map(({ name, summary, options = [], arguments: declared = [] }) => ({
    name,
    summary,
    options: [...options, ...GLOBAL_OPTIONS].filter(({ hidden }) => !hidden).map(completableOption),
    words: declared[0]?.choices ?? commands.flatMap((other) => lastWordAfter(name, other.name)),
  }));
}

function wordsIn(name: string): number {
  return name.split(' ').length;
}

function lastWordAfter(group: string, name: string): string[] {
  return name.startsWith(`${group} `) ? [name.slice(group.length + 1)] : [];
}

/** What may follow a word: the commands themselves, or the sub-commands of each group. */
export interface CompletionStep {
  /** Empty at the beginning, else the group: `workspace`. */
  readonly after: string;
  readonly words: readonly { readonly word: string; readonly summary: string }[];
}

export function completionSteps(commands: readonly CompletableCommand[]): CompletionStep[] {
  const groups = new Map<string, Map<string, string>>([['', new Map()]]);
  for (const { name, summary } of commands) {
    const [first = '', second] = name.split(' ');
    const own = commands.find((command) => command.name === first);
    groups.get('')?.set(first, own?.summary ?? `Commands of ${first}`);
    if (second === undefined) continue;
    if (!groups.has(first)) groups.set(first, new Map());
    groups.get(first)?.set(second, summary);
  }
  return [...groups].map(([after, words]) => ({
    after,
    words: [...words].map(([word, summary]) => ({ word, summary })),
  }));
}

const PATHS = /path|file|dir/;

function completableOption(declaration: OptionDeclaration): CompletableOption {
  const { long, short, value } = formOf(declaration);
  const words = declaration.choices ?? [];
  const kind = words.length > 0 ? 'words' : PATHS.test(value ?? '') ? 'path' : 'other';
  return { long, short, description: declaration.description, words, value: value === undefined ? undefined : kind };
}
