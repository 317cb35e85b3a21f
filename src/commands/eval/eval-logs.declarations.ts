import type { ArgumentDeclaration, CommandDeclaration } from '../../cli/declaration.js';
import { MODULE_OPTION } from '../serve/serve.declaration.js';
import {
  BY_OPTION,
  CONFIDENCE_OPTION,
  EVAL_FN_OPTION,
  GATE_OPTION,
  PASS_K_OPTION,
  THRESHOLD_OPTION,
} from './report.options.declarations.js';

const FILE: ArgumentDeclaration = {
  name: 'file',
  description: 'The report of an evaluation, or its .runs.jsonl file',
  required: true,
};

export const EVAL_REPORT: CommandDeclaration = {
  name: 'eval report',
  summary: 'Show results of evaluations again, or compare several',
  description:
    'Makes the report of an evaluation anew from its .runs.jsonl file, also while it runs or after it was broken off. ' +
    'Of several files the first is shown, and compared row by row with each of the others: differences with intervals, ' +
    'and the rows that flipped.',
  arguments: [{ ...FILE, description: `${FILE.description}; several are compared`, repeatable: true }],
  options: [
    {
      flags: '--html <file>',
      description: 'Also write a page to look at: one file, no network, with every conversation',
    },
    { flags: '-o, --output <file>', description: 'Also write the report as JSON' },
    BY_OPTION,
    THRESHOLD_OPTION,
    PASS_K_OPTION,
    GATE_OPTION,
    CONFIDENCE_OPTION,
  ],
  examples: [
    { command: 'osmosis eval report reports/new.json', description: 'The tables of an evaluation' },
    {
      command: 'osmosis eval report reports/new.json reports/old.json --html compared.html',
      description: 'What has become better and worse, to look at',
    },
    {
      command: 'osmosis eval report reports/new.json --by topic --gate "pass@1>=0.8"',
      description: 'By a column of the dataset, and a gate for CI',
    },
  ],
  exitCodes: [3],
};

export const EVAL_RESCORE: CommandDeclaration = {
  name: 'eval rescore',
  summary: 'Score the conversations of an evaluation again, without the model',
  description:
    "Scores saved conversations by the agent's rewards, rubrics and functions as they are now, and writes a new report " +
    'with its own .runs.jsonl file; the old ones stay as they are. No model is asked but judges. Failed runs are taken ' +
    'over as they are.',
  arguments: [FILE],
  options: [
    MODULE_OPTION,
    { flags: '--agent <name>', description: 'Which agent', default: 'the one that was evaluated' },
    EVAL_FN_OPTION,
    { flags: '-o, --output <file>', description: 'The new report', required: true },
    { flags: '--resume', description: 'Go on with the rescoring that was broken off at --output' },
    { flags: '--fresh', description: 'Begin anew at --output; the old runs are kept under another name' },
    {
      flags: '-c, --concurrency <count>',
      description: 'Conversations that are scored at once',
      integer: { min: 1, max: 10_000 },
      default: '16',
    },
    BY_OPTION,
    THRESHOLD_OPTION,
    PASS_K_OPTION,
    GATE_OPTION,
    CONFIDENCE_OPTION,
  ],
  examples: [
    {
      command: 'osmosis eval rescore reports/base.json -m src/calculator.agent.ts -o reports/rescored.json',
      description: 'After a reward was mended',
    },
  ],
  exitCodes: [3, 4, 143],
  handlesSignals: true,
};

export const EVAL_CURRICULUM: CommandDeclaration = {
  name: 'eval curriculum',
  summary: 'Pick the rows that are worth training on',
  description:
    'Writes rows of an evaluated dataset as JSON lines, as they were and in their order: those whose figures fulfil a ' +
    'condition. Figures of a row: mean, pass_rate, std, min, max (of its scores), n (runs), errors (failed runs). ' +
    'A figure that there is not fulfils nothing.',
  arguments: [FILE],
  options: [
    {
      flags: '--keep <condition>',
      description: 'Comparisons, joined by "and": "0 < mean < 1", "pass_rate <= 0.5 and errors < 1"',
      required: true,
    },
    { flags: '-o, --output <file>', description: 'Write there', default: 'stdout' },
    { flags: '--scorer <name>', description: 'Whose scores count', default: 'the one that stands for all' },
    THRESHOLD_OPTION,
  ],
  examples: [
    {
      command: 'osmosis eval curriculum reports/base.json --keep "0 < mean < 1" -o train.jsonl',
      description: 'Rows that the model solves sometimes: neither always nor never',
    },
  ],
  exitCodes: [3],
};
