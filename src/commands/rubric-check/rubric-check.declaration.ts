import type { CommandDeclaration } from '../../cli/declaration.js';

export const RUBRIC_CHECK: CommandDeclaration = {
  name: 'rubric check',
  summary: 'Find out whether a judge can be trained against',
  description:
    'Has the judge score records that humans have scored, several times each, with the evidence turned round, with ' +
    'padding, and with attacks in the place of answers. Reports how far it agrees with humans, repeats itself and ' +
    'holds out, and ends with 1 when anything speaks against training with it. docs/judge.md explains the figures.',
  arguments: [{ name: 'config', description: 'The rubric file', required: true }],
  options: [
    {
      flags: '-d, --data <file>',
      description: "JSONL records with a human's score in label, human_score or expected_score",
      required: true,
    },
    { flags: '-r, --rubric <id>', description: 'Which rubric of the file; may be left out when it has one only' },
    {
      flags: '--runs <count>',
      description: 'Times each record is judged as it is',
      integer: { min: 1, max: 100 },
      default: '3',
    },
    {
      flags: '--threshold <score>',
      description: 'From which score on an answer is good, for kappa (default: the middle of the range)',
      number: {},
    },
    {
      flags: '--probe-records <count>',
      description: 'Records whose tasks the attacks are tried on',
      integer: { min: 1, max: 1000 },
      default: '1',
    },
    {
      flags: '-c, --concurrency <count>',
      description: 'Requests at once',
      integer: { min: 1, max: 256 },
      default: '4',
    },
    { flags: '-o, --output <file>', description: 'Also write the report there, as JSON' },
  ],
  examples: [
    {
      command: 'osmosis rubric check rubric_configs.yaml --data labelled.jsonl',
      description: 'The only rubric of a file',
    },
    {
      command: 'osmosis rubric check rubric_configs.yaml -r helpful -d labelled.jsonl --runs 5 -o trust.json',
      description: 'Five runs, and a report to keep',
    },
  ],
  exitCodes: [3, 143],
  handlesSignals: true,
};
