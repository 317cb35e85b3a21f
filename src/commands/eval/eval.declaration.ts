import type { CommandDeclaration, OptionDeclaration } from '../../cli/declaration.js';
import { AGENT_OPTIONS, DATASET_OPTIONS, modelOptions, RUN_OPTIONS } from '../../evaluation/evaluation.declarations.js';
import {
  BY_OPTION,
  CONFIDENCE_OPTION,
  EVAL_FN_OPTION,
  GATE_OPTION,
  PASS_K_OPTION,
  THRESHOLD_OPTION,
} from './report.options.declarations.js';

/** `--batch-size` is what the Python SDK calls it (spec D.11). */
const RUNNING = RUN_OPTIONS.map((option): OptionDeclaration =>
  option.flags.includes('--concurrency') ? { ...option, aliases: ['batch-size'] } : option,
);

const COMPARING: readonly OptionDeclaration[] = [
  { flags: '--baseline-model <name>', description: 'Also run this model on every row, and compare row by row' },
  { flags: '--baseline-base-url <url>', description: "The baseline's server" },
  { flags: '--baseline-api-key-env <name>', description: "Environment variable that holds the baseline's key" },
  {
    flags: '--baseline-api-key <key>',
    description: "The baseline's key; other users of the machine can read it in the list of processes",
  },
  {
    flags: '--compare <file>',
    description: 'Compare with an earlier report, or its .runs.jsonl file, row by row',
    repeatable: true,
  },
];

const KEEPING: readonly OptionDeclaration[] = [
  {
    flags: '-o, --output <file>',
    description:
      'JSON report; the runs with their conversations are kept beside it, in a file that ends in .runs.jsonl',
    default: '.osmosis/evals/<agent>-<time>.json',
  },
  {
    flags: '--resume',
    description: 'Go on with the evaluation that was broken off at --output; failed runs are made again',
  },
  { flags: '--fresh', description: 'Begin anew at --output; the old runs are kept under another name' },
];

export const EVAL: CommandDeclaration = {
  name: 'eval',
  summary: 'Measure how good the answers of an agent are',
  description:
    "Runs the agent on every row, n times, and scores each conversation by the agent's rewards and rubrics and by " +
    'functions of your own. Shows means, pass rates, pass@k and pass^k with intervals, failures by class, and how it ' +
    'compares with a baseline or an earlier evaluation.\n' +
    'A run is on the disk before it counts: Ctrl-C or a crash loses nothing, and --resume goes on from there, unless ' +
    'dataset, agent, model or parameters have changed. A scorer that fails gives no score and is counted, never a 0.',
  options: [
    ...AGENT_OPTIONS,
    ...DATASET_OPTIONS,
    ...modelOptions({ required: true }),
    EVAL_FN_OPTION,
    {
      flags: '-n, --n <count>',
      description: 'Runs of each row; several show pass@k and pass^k',
      integer: { min: 1, max: 10_000 },
      default: '1',
    },
    THRESHOLD_OPTION,
    PASS_K_OPTION,
    ...RUNNING,
    ...COMPARING,
    BY_OPTION,
    GATE_OPTION,
    CONFIDENCE_OPTION,
    ...KEEPING,
  ],
  examples: [
    {
      command: 'osmosis eval -m src/calculator.agent.ts -d problems.jsonl --model openai/gpt-5-mini -n 4 -c 16',
      description: "Four runs of each row, scored by the agent's own rewards",
    },
    {
      command:
        'osmosis eval -m src/agent.ts -d rows.parquet --model Qwen/Qwen3-0.6B --base-url http://localhost:8000/v1 --eval-fn src/scoring.ts:exact',
      description: 'A model of your own, scored by a function',
    },
    {
      command:
        'osmosis eval -m src/agent.ts -d rows.jsonl --model openai/gpt-5-mini --compare reports/last.json --gate "pass@1>=0.8"',
      description: 'In CI: compared with the last report, and a gate',
    },
    {
      command: 'osmosis eval -m src/agent.ts -d rows.jsonl --model openai/gpt-5-mini -o reports/new.json --resume',
      description: 'Go on after Ctrl-C',
    },
  ],
  exitCodes: [3, 4, 5, 143],
  handlesSignals: true,
};
