import type { CommandDeclaration } from '../../cli/declaration.js';

export const LOGOUT: CommandDeclaration = {
  name: 'logout',
  summary: 'Log out here, and make the token worthless',
  description:
    'Revokes the token on the platform where that can be done, then deletes the login from this machine in any case. With ' +
    'one login it asks whether to; with several it asks which. Where nobody can be asked, name a workspace, or give ' +
    '--yes, with --all for all of them.',
  arguments: [{ name: 'workspace', description: 'Name of the workspace to log out of, or the id of its organisation' }],
  options: [
    { flags: '--all', description: 'Log out of every workspace' },
    { flags: '-y, --yes', description: 'Do not ask whether to; which of several is still asked' },
    { flags: '--no-revoke', description: 'Delete here only; the token stays valid on the platform until it expires' },
  ],
  examples: [
    { command: 'osmosis logout', description: 'Of the only workspace, or of one chosen from a list' },
    { command: 'osmosis logout Acme', description: 'Of one workspace, without a question' },
    { command: 'osmosis logout --all --yes', description: 'Of all, in a script' },
  ],
  exitCodes: [3],
};
