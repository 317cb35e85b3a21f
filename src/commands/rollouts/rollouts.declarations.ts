import type { CommandDeclaration, OptionDeclaration } from '../../cli/declaration.js';

/** The states that a list can be asked for. Agrees with `LIST_STATES` of #rollout; a test sees to it. */
export const STATUS_CHOICES = ['queued', 'running', 'delivering', 'done', 'dead', 'COMPLETED', 'ERROR'] as const;
/** Those that have an outcome. */
const FINISHED_CHOICES = STATUS_CHOICES.filter((status) => status !== 'queued' && status !== 'running');

export const DEFAULT_URL = 'http://127.0.0.1:8000';
export const DEFAULT_LIMIT = 100;

const SERVER: readonly OptionDeclaration[] = [
  {
    flags: '--url <url>',
    description: 'The running server, with its global prefix if it has one',
    default: DEFAULT_URL,
  },
  { flags: '--api-key <key>', description: "The server's key", env: 'OSMOSIS_API_KEY' },
];

const SOURCE: readonly OptionDeclaration[] = [
  ...SERVER,
  {
    flags: '--data-dir <dir>',
    description: 'Read this data directory (a sqlite store) in place of asking a server; one may be running on it',
  },
];

/** Declared, so that who tries it is told more than "unknown option". */
const NO_DIRECTORY: OptionDeclaration = {
  flags: '--data-dir <dir>',
  description: 'Refused here: files can only be looked at, this needs the running server',
};

function filters(statuses: readonly string[]): readonly OptionDeclaration[] {
  return [
    {
      flags: '--status <status>',
      description: 'Only those in this state or with this outcome; dead are those whose completion was given up',
      choices: statuses,
    },
    { flags: '--agent <name>', description: 'Only those of this agent' },
    { flags: '--after <id>', description: 'Only those accepted after this one' },
  ];
}

const IDS = { name: 'id', description: 'Ids of rollouts', repeatable: true } as const;

export const ROLLOUTS_LIST: CommandDeclaration = {
  name: 'rollouts list',
  summary: 'List rollouts of a running server or a data directory',
  description:
    'Lists rollouts in the order in which they were accepted: state, outcome, reward, turns, age, and how the delivery of ' +
    'the completion stands. Asks a running server, or reads a data directory.',
  options: [
    ...SOURCE,
    ...filters(STATUS_CHOICES),
    {
      flags: '--limit <count>',
      description: 'This many at most',
      integer: { min: 1, max: 1000 },
      default: String(DEFAULT_LIMIT),
    },
    { flags: '--all-pages', description: 'All of them, whatever --limit says' },
  ],
  examples: [
    { command: 'osmosis rollouts list', description: 'The first hundred of the server on this machine' },
    { command: 'osmosis rollouts list --status dead --all-pages', description: 'What could not be delivered' },
    {
      command: 'osmosis rollouts list --data-dir .osmosis --status ERROR --json',
      description: 'Failures, without a server, for a program',
    },
  ],
  exitCodes: [3, 5],
};

export const ROLLOUTS_SHOW: CommandDeclaration = {
  name: 'rollouts show',
  summary: 'Show what a rollout is doing, or what became of it',
  description:
    'Shows the timeline from acceptance to delivery, the time each phase took, turns and tokens, every reward, and the ' +
    'failure with its evidence.',
  arguments: [{ name: 'id', description: 'Id of the rollout', required: true }],
  options: [
    ...SOURCE,
    {
      flags: '--messages',
      description: 'Also the conversation, as far as it is stored; needs --data-dir, servers do not hand it out',
    },
  ],
  examples: [
    { command: 'osmosis rollouts show job-7/42', description: 'From the server on this machine' },
    {
      command: 'osmosis rollouts show job-7/42 --data-dir .osmosis --messages',
      description: 'With the conversation, from the files',
    },
  ],
  exitCodes: [3, 5],
};

export const ROLLOUTS_CANCEL: CommandDeclaration = {
  name: 'rollouts cancel',
  summary: 'End rollouts before their time',
  description:
    'Ends rollouts of a running server as ERROR, failure class cancelled, and their trainers are told. Those that have an ' +
    'outcome keep it. Name ids, or a prefix, or all.',
  arguments: [IDS],
  options: [
    { flags: '--prefix <prefix>', description: 'All in work whose ids begin with it' },
    { flags: '--all', description: 'All in work' },
    ...SERVER,
    NO_DIRECTORY,
  ],
  examples: [
    { command: 'osmosis rollouts cancel job-7/41 job-7/42', description: 'Two of them' },
    { command: 'osmosis rollouts cancel --prefix job-7/', description: 'A whole job' },
  ],
  exitCodes: [5],
};

export const ROLLOUTS_REDELIVER: CommandDeclaration = {
  name: 'rollouts redeliver',
  summary: 'Try again to deliver completions that were given up',
  description:
    'Sends dead letters of a running server on their way again, with the same bytes and the same Idempotency-Key as before.',
  arguments: [{ ...IDS, required: true }],
  options: [...SERVER, NO_DIRECTORY],
  examples: [
    { command: 'osmosis rollouts redeliver job-7/42', description: 'One' },
    {
      command:
        "osmosis rollouts list --status dead --all-pages --json | jq -r '.data.rollouts[].rollout_id' | " +
        'xargs -d "\\n" osmosis rollouts redeliver --',
      description: 'All of them',
    },
  ],
  exitCodes: [5],
};

export const ROLLOUTS_EXPORT: CommandDeclaration = {
  name: 'rollouts export',
  summary: 'Write finished rollouts as JSON lines or ATIF documents',
  description:
    'Writes one line for each rollout that has an outcome: rollout_id, agent, status, finish_reason, reward, rewards, ' +
    'metrics, failure, messages, request. The request is the body of the init, without its api_key. A server hands out ' +
    'neither messages nor requests; they are null then. With --json the lines are the same; with --json and --output, a ' +
    'document with the count goes to stdout.\n' +
    'With --format atif, each line is an ATIF-v1.7 document; needs --data-dir. Into a folder (--output names one that ' +
    'exists, or ends with a slash), each document becomes a file <folder>/<rollout id>/trajectory.json. Documents that the ' +
    'server has written are taken as they are; others are made of what is stored, which lacks what each turn has cost.',
  options: [
    ...SOURCE,
    {
      flags: '--format <format>',
      description: 'What is written of each rollout',
      choices: ['jsonl', 'atif'],
      default: 'jsonl',
    },
    ...filters(FINISHED_CHOICES),
    {
      flags: '--limit <count>',
      description: 'This many at most',
      integer: { min: 1, max: 1_000_000_000 },
      default: 'all',
    },
    {
      flags: '-o, --output <path>',
      description: 'Write there: the whole file or, when something goes wrong, none; for atif also a folder',
      default: 'stdout',
    },
  ],
  examples: [
    {
      command: 'osmosis rollouts export --data-dir .osmosis -o rollouts.jsonl',
      description: 'Everything that is stored, with the conversations',
    },
    {
      command: 'osmosis rollouts export --data-dir .osmosis --status COMPLETED --agent calculator | head -3',
      description: 'A look at the first three',
    },
    {
      command: 'osmosis rollouts export --data-dir .osmosis --format atif -o trajectories/',
      description: 'An ATIF document a rollout, for viewers',
    },
  ],
  exitCodes: [3, 5, 143],
  handlesSignals: true,
};
