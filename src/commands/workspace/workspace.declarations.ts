import type { CommandDeclaration } from '../../cli/declaration.js';

export const WORKSPACE_LIST: CommandDeclaration = {
  name: 'workspace list',
  summary: 'List the workspaces that are logged in on this machine',
  description:
    'Lists the stored logins, one for each workspace (an organisation of the platform), and when each runs out. Nothing ' +
    'leaves this machine.',
  examples: [{ command: 'osmosis workspace list', description: 'All of them' }],
};

export const WORKSPACE_CURRENT: CommandDeclaration = {
  name: 'workspace current',
  summary: 'Show the workspace that is used',
  description: 'Shows the workspace whose login is used for calls to the platform, unless OSMOSIS_TOKEN is set.',
  examples: [{ command: 'osmosis workspace current --json', description: 'For a program' }],
};

export const WORKSPACE_SWITCH: CommandDeclaration = {
  name: 'workspace switch',
  summary: 'Use another workspace',
  description:
    'Makes another stored login the one that is used. One that has run out may be chosen; the program then says how to ' +
    'renew it.',
  arguments: [
    { name: 'workspace', description: 'Name of the workspace, or the id of its organisation', required: true },
  ],
  examples: [{ command: 'osmosis workspace switch Acme', description: 'By name' }],
};
