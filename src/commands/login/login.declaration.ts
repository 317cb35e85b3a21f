import type { CommandDeclaration } from '../../cli/declaration.js';

export const LOGIN: CommandDeclaration = {
  name: 'login',
  summary: 'Log in to the Osmosis platform',
  description:
    'Opens the platform in a browser on this machine, waits until it comes back, verifies the login and stores it. The ' +
    'address is shown first, for opening it by hand. On a machine without a browser use --device: it shows a code to ' +
    'enter in a browser anywhere.\n' +
    'Nothing that was stored is touched before the new login is verified. With OSMOSIS_TOKEN set, no login is needed.',
  options: [
    { flags: '--no-browser', description: 'Show the address only; open no browser' },
    { flags: '--device', description: 'Log in with a code that is entered in a browser on another machine' },
    {
      flags: '--token <source>',
      description: "Read an access token from standard input, as in CI; the only source is '-'",
    },
    {
      flags: '-f, --force',
      description: 'Replace the login that is active now, also when it is for another workspace; others stay',
    },
    {
      flags: '--timeout <seconds>',
      description: 'Longest wait for the browser or the code',
      integer: { min: 1, max: 3600 },
      default: '300, with --device 900',
    },
  ],
  examples: [
    { command: 'osmosis login', description: 'Through the browser of this machine' },
    { command: 'osmosis login --device', description: 'Over SSH, or in a container' },
    { command: 'printenv CI_OSMOSIS_TOKEN | osmosis login --token -', description: 'In CI' },
  ],
  exitCodes: [3, 143],
  handlesSignals: true,
};
