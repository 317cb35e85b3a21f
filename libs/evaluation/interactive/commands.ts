/** What can be said when the agent pauses after an answer, and after a row has ended. */
export type Command =
  | { readonly kind: 'next' | 'continue' | 'messages' | 'tools' | 'quit' | 'help' | 'end' }
  | { readonly kind: 'row'; readonly row: number }
  | { readonly kind: 'save' | 'edit'; readonly text: string }
  | { readonly kind: 'unknown'; readonly text: string };

const WORDS = {
  n: 'next',
  next: 'next',
  c: 'continue',
  continue: 'continue',
  m: 'messages',
  messages: 'messages',
  t: 'tools',
  tools: 'tools',
  q: 'quit',
  quit: 'quit',
  exit: 'quit',
  '?': 'help',
  help: 'help',
} as const;

/** @param line null at the end of the input */
export function parseCommand(line: string | null): Command {
  if (line === null) return { kind: 'end' };
  const text = line.trim();
  if (text === '') return { kind: 'next' };
  const [, word = '', rest = ''] = /^(\S+)\s*([^]*)$/.exec(text) ?? [];
  const name = word.toLowerCase();
  if (rest === '' && isWord(name)) return { kind: WORDS[name] };
  if (name === 'r' || name === 'row')
    return /^\d+$/.test(rest) ? { kind: 'row', row: Number(rest) } : { kind: 'unknown', text };
  if (name === 's' || name === 'save') return { kind: 'save', text: rest };
  if (name === 'e' || name === 'edit') return { kind: 'edit', text: rest };
  return { kind: 'unknown', text };
}

function isWord(name: string): name is keyof typeof WORDS {
  return Object.hasOwn(WORDS, name);
}

export const PAUSE_HELP = `Commands:
  n, Enter      go on to the next answer
  c             go on without pausing, to the end of this row
  m             show all messages
  t             show the tools
  e TEXT        put TEXT in the place of the answer; e {"content": …} puts a whole message there; e alone asks for it
  s [FILE]      save the conversation as JSON
  r N           give this row up and go to row N
  q             give this row up
  ?             show this
`;

export const END_HELP = `Commands:
  m             show all messages
  s [FILE]      save the conversation as JSON
  r N           go to row N
  Enter, q      choose another row
  ?             show this
`;
