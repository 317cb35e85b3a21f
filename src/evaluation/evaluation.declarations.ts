import type { OptionDeclaration } from '../cli/declaration.js';
import { MODULE_OPTION } from '../commands/serve/serve.declaration.js';

/** The formats of #evaluation's datasets; a spec sees to it that they agree. Declarations load no room. */
const FORMATS = ['jsonl', 'json', 'csv', 'parquet'];

/** Which agent is run. */
export const AGENT_OPTIONS: readonly OptionDeclaration[] = [
  { ...MODULE_OPTION, required: false },
  { flags: '--agent <name>', description: 'Which agent, when the module has several' },
  {
    flags: '--mcp <server>',
    description:
      'In place of -m: run a plain agent with the tools of an MCP server, named by its command, its http address or a ' +
      'folder with a main.py, main.ts, main.mjs or main.js',
  },
  {
    flags: '--mcp-key-env <name>',
    description: 'Environment variable that holds the bearer for an http address of --mcp',
  },
];

/** How a dataset file is read. */
export const DATASET_READING: readonly OptionDeclaration[] = [
  {
    flags: '--format <format>',
    description: 'Format of a file whose name does not tell it; standard input is JSONL',
    choices: FORMATS,
  },
  {
    flags: '--columns <ours=theirs>',
    description: 'Takes one of our columns from another one: --columns user_prompt=question',
    repeatable: true,
  },
  {
    flags: '--limit <rows>',
    description: 'Rows to take at most',
    integer: { min: 1, max: Number.MAX_SAFE_INTEGER },
    default: 'all',
  },
  {
    flags: '--offset <rows>',
    description: 'Rows to pass over first',
    integer: { min: 0, max: Number.MAX_SAFE_INTEGER },
    default: '0',
  },
];

export const DATASET_OPTIONS: readonly OptionDeclaration[] = [
  {
    flags: '-d, --dataset <file>',
    description: 'The rows: .jsonl, .json, .csv (each also .gz) or .parquet; - is standard input',
    required: true,
  },
  ...DATASET_READING,
];

/** @param model the declaration's own part: its default, or that it is required */
export function modelOptions(model: Pick<OptionDeclaration, 'default' | 'required'>): OptionDeclaration[] {
  return [
    {
      flags: '--model <name>',
      description: 'provider/model, or a name at --base-url; scripted:<file> replays a script without any model',
      ...model,
    },
    { flags: '--base-url <url>', description: 'Any OpenAI-compatible server: vLLM, SGLang, Ollama …' },
    {
      flags: '--api-key-env <name>',
      description: "Environment variable that holds the model's key",
      default: "the provider's own, see docs/providers.md",
    },
    {
      flags: '--api-key <key>',
      description: "The model's key; other users of the machine can read it in the list of processes",
    },
  ];
}

/** How each run goes, and how many at once. */
export const RUN_OPTIONS: readonly OptionDeclaration[] = [
  {
    flags: '--max-turns <count>',
    description: 'Answers of the model a run',
    integer: { min: 1, max: 1_000_000 },
    default: '10',
  },
  {
    flags: '--max-tokens <count>',
    description: "Tokens of one answer at most (default: the model's)",
    integer: { min: 1, max: 1_000_000_000 },
  },
  {
    flags: '--max-total-tokens <count>',
    description: 'Tokens of a whole conversation at most',
    integer: { min: 1, max: 1_000_000_000 },
    default: '32768',
  },
  { flags: '--temperature <number>', description: "Sampling temperature (default: the model's)", number: { min: 0 } },
  {
    flags: '--timeout <seconds>',
    description: 'For one run, scoring included',
    number: { min: 0.001, max: 2_000_000 },
    default: '3600',
  },
  { flags: '-c, --concurrency <count>', description: 'Runs at once', integer: { min: 1, max: 10_000 }, default: '4' },
  {
    flags: '--retries <count>',
    description: 'Further tries of a run after a rate limit, a fault of the server or a broken connection',
    integer: { min: 0, max: 100 },
    default: '2',
  },
  {
    flags: '--prices <file>',
    description: 'JSON with dollars for a million tokens: {"openai/gpt-5-mini": {"input": 0.25, "output": 2}}',
  },
];
