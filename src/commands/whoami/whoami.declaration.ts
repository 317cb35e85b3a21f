import type { CommandDeclaration } from '../../cli/declaration.js';

export const WHOAMI: CommandDeclaration = {
  name: 'whoami',
  summary: 'Show who is logged in here',
  description:
    'Shows the user and the workspaces that are stored on this machine, and when each login runs out. Nothing leaves this ' +
    'machine unless --verify asks the platform whether the login in use is still accepted. Ends with 1 when nobody is ' +
    'logged in.',
  options: [{ flags: '--verify', description: 'Ask the platform about the login in use' }],
  examples: [
    { command: 'osmosis whoami', description: 'From what is stored here' },
    { command: 'osmosis whoami --verify --json', description: 'Whether a login works, for a program' },
  ],
  exitCodes: [3, 5],
};
