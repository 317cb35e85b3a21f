import type { CommandDeclaration, OptionDeclaration } from '../../cli/declaration.js';

export const MODULE_OPTION: OptionDeclaration = {
  flags: '-m, --module <path[:export]>',
  description:
    'What to load: a .ts, .js, .mjs or .cjs file, a folder, or a package; the export is an @Agent class or a Nest module',
  required: true,
};

export const SERVE: CommandDeclaration = {
  name: 'serve',
  summary: 'Serve agents to trainers',
  description:
    'Loads an @Agent class or a Nest module, checks its definitions, and serves its agents as a remote-rollout server ' +
    'until Ctrl-C or SIGTERM. Running rollouts then get a grace period; a second signal ends the server at once. ' +
    'Without --api-key-file, OSMOSIS_API_KEY or --api-key, a key is generated and shown once.\n' +
    'stdout gets a banner on a terminal and one JSON line otherwise; logs go to stderr.',
  options: [
    MODULE_OPTION,
    {
      flags: '-p, --port <port>',
      description: 'Port to listen on; 0 takes any free one and says which',
      integer: { min: 0, max: 65535 },
      default: '8000',
      env: 'PORT',
    },
    { flags: '-H, --host <host>', description: 'Address to listen on', default: '0.0.0.0', env: 'HOST' },
    { flags: '--agent <name>', description: 'Agent behind /v1/rollout/init when the module has several' },
    { flags: '--no-validate', description: 'Start without checking what getTools gives and how run is written' },
    { flags: '--skip-register', description: 'Do not register with the Osmosis platform; no login is needed' },
    {
      flags: '--local',
      description: 'For trying out: no registration and no API key',
      aliases: ['local-debug'],
    },
    {
      flags: '--public-host <host>',
      description: 'Address at which the platform reaches this server, in place of detecting it',
      env: 'OSMOSIS_PUBLIC_HOST',
    },
    {
      flags: '--api-key <key>',
      description: 'Key that callers must present; other users of the machine can read it in the list of processes',
      env: 'OSMOSIS_API_KEY, preferred',
    },
    {
      flags: '--api-key-file <file>',
      description:
        'File of keys that are all accepted, one a line, # begins a comment: for changing keys without a pause',
    },
    {
      flags: '--max-concurrent <count>',
      description: 'Rollouts that run at once; more wait',
      integer: { min: 1, max: 10_000 },
      default: '1000',
      env: 'OSMOSIS_ROLLOUT_SERVER_MAX_CONCURRENT_ROLLOUTS',
    },
    {
      flags: '--workers <count>',
      description:
        'Processes that serve: one port and one store (sqlite), the limits divided among them; one that ends is replaced, ' +
        'and its rollouts are taken up',
      integer: { min: 1, max: 128 },
      default: '1',
      env: 'OSMOSIS_WORKERS',
    },
    {
      flags: '--store <kind>',
      description: 'Where rollouts are kept: sqlite survives crashes and restarts, memory forgets with the process',
      choices: ['sqlite', 'memory'],
      default: 'sqlite',
      env: 'OSMOSIS_ROLLOUT_STORE',
    },
    {
      flags: '--data-dir <dir>',
      description: 'Folder of the sqlite store and of the trajectories',
      default: '.osmosis',
      env: 'OSMOSIS_ROLLOUT_DATA_DIR',
    },
    {
      flags: '--trajectories',
      description: 'Write every finished rollout as an ATIF document to <data dir>/trajectories/',
      env: 'OSMOSIS_ROLLOUT_TRAJECTORIES=on',
    },
    {
      flags: '--log <dir>',
      description: "Write the agents' logEvent traces to <dir>/<unix seconds>/, one file a rollout",
      env: 'ROLLOUT_DEBUG_DIR',
    },
    {
      flags: '--log-level <level>',
      description: 'Least severe log messages to write',
      choices: ['debug', 'info', 'warning', 'error', 'critical'],
      default: 'info',
    },
    { flags: '--reload', description: 'Start anew whenever a source file changes; with one process only' },
  ],
  examples: [
    { command: 'osmosis serve -m src/calculator.agent.ts:CalculatorAgent --local', description: 'Try an agent out' },
    {
      command: 'osmosis serve -m src/app.module.ts:AppModule -p 9000',
      description: 'Serve a Nest module with its agents',
    },
    {
      command: 'OSMOSIS_API_KEY=… osmosis serve -m dist/app.module.js --skip-register --json',
      description: 'In production behind a trainer of your own',
    },
  ],
  exitCodes: [3, 4],
  handlesSignals: true,
};
