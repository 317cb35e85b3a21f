import type { ArgumentDeclaration, CommandDeclaration } from '../../cli/declaration.js';
import {
  BY_OPTION,
  CONFIDENCE_OPTION,
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
