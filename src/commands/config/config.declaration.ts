import type { CommandDeclaration } from '../../cli/declaration.js';

export const CONFIG: CommandDeclaration = {
  name: 'config',
  summary: 'Show the effective configuration and where each value comes from',
  description:
    'Lists every setting with the value that would be used here and its origin: the environment, the .env file or the ' +
    'default. Secrets are masked. Fails with 3 when a value is not allowed.',
  options: [{ flags: '--set', description: 'List only what differs from the default' }],
  examples: [
    { command: 'osmosis config', description: 'Everything' },
    { command: 'osmosis config --set --json', description: 'What is set here, for a program' },
  ],
  exitCodes: [3],
};
