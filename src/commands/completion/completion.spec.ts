import { execFileSync } from 'node:child_process';
import type { CommandDeclaration } from '../../cli/declaration.js';
import { bashScript } from './bash.js';
import { completableCommands } from './completable.js';
import { fishScript } from './fish.js';
import { zshScript } from './zsh.js';

const plain = { summary: "It's one", description: '', examples: [] };
const DECLARATIONS: readonly CommandDeclaration[] = [
  { ...plain, name: 'serve', options: [{ flags: '-p, --port <port>', description: 'Port: a number' }] },
  { ...plain, name: 'workspace list' },
  {
    ...plain,
    name: 'workspace switch',
    options: [{ flags: '--how <how>', description: 'How', choices: ['fast', 'slow'] }],
  },
];
const COMMANDS = completableCommands(DECLARATIONS);

/** What a real bash offers after the words. */
function offered(...words: string[]): string[] {
  const set = `COMP_WORDS=(osmosis ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}`;
  const script = `${bashScript(COMMANDS)}\n${set}\n_osmosis\nprintf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim().split('\n').sort();
}

describe('completion in bash', () => {
  it('offers commands, groups once, and the sub-commands of a group', () => {
    expect(offered('')).toEqual(['--help', '--version', 'serve', 'workspace']);
    expect(offered('workspace', '')).toEqual(['list', 'switch']);
  });

  it('offers the options of the command that was typed, and the values of an option', () => {
    expect(offered('serve', '--p')).toEqual(['--port']);
    expect(offered('workspace', 'switch', '--ho')).toEqual(['--how']);
    expect(offered('workspace', 'switch', '--how', 's')).toEqual(['slow']);
    expect(offered('--json', 'workspace', 'list', '--q')).toEqual(['--quiet']);
  });
});

it('scripts for zsh and fish quote what they quote', () => {
  expect(zshScript(COMMANDS)).toContain(`'serve:It'\\''s one'`);
  expect(zshScript(COMMANDS)).toContain(`'(-p --port)'{-p,--port}'[Port\\: a number]:value:'`);
  expect(fishScript(COMMANDS)).toContain(`-a serve -d 'It\\'s one'`);
  expect(fishScript(COMMANDS)).toContain(
    `-n '__fish_seen_subcommand_from workspace; and __fish_seen_subcommand_from switch' -l how -d 'How' -x -a 'fast slow'`,
  );
});
