import type { CommandDeclaration } from '../../cli/declaration.js';

export const EVAL_RUBRIC: CommandDeclaration = {
  name: 'eval-rubric',
  summary: 'Score a data set by a rubric',
  description:
    'Asks the judge that the rubric names for a score of each record, as often as wanted, and writes a JSON report. ' +
    'Everything that can be wrong is found before the first request. A run that fails is counted, kept out of the mean ' +
    'and ends nothing; when no run gives a score, or the mean is below --min-mean, the program ends with 1.\n' +
    'Ctrl-C keeps what is done, and --resume goes on from there. With --quiet the single runs are left out.',
  options: [
    { flags: '-r, --rubric <id>', description: 'Which rubric of the file', required: true },
    {
      flags: '-d, --data <file>',
      description: 'JSONL records with rubric_id and solution_str (or messages)',
      required: true,
    },
    {
      flags: '-n, --number <count>',
      description: 'Runs of each record; several show how far the judge repeats itself',
      integer: { min: 1, max: 1000 },
      default: '1',
    },
    {
      flags: '--config <file>',
      description: 'The rubrics. Else rubric_configs.yaml beside the data, here, or in ./examples',
    },
    {
      flags: '-c, --concurrency <count>',
      description: 'Requests at once. A value that is no number is taken for --config, as the Python SDK reads -c',
      default: '4',
      repeatable: true,
    },
    {
      flags: '-o, --output <path>',
      description:
        'Where the report goes: a path that ends in a dot and letters is a file and is overwritten, any other a ' +
        'directory that gets a new file',
      default: '~/.cache/osmosis/eval_result/<rubric>',
    },
    { flags: '-b, --baseline <file>', description: 'An earlier report to compare with' },
    { flags: '--min-mean <score>', description: 'End with 1 when the mean is below', number: {} },
    {
      flags: '--votes <count>',
      description: 'Times the judge is asked for one run; the score is the mean',
      integer: { min: 1, max: 100 },
      default: '1',
    },
    { flags: '--resume', description: 'Go on with the session that was broken off at the same --output' },
    { flags: '--redact', description: 'Keep texts out of the report and of stdout: numbers and errors only' },
  ],
  examples: [
    { command: 'osmosis eval-rubric -r helpful -d conversations.jsonl', description: 'Score every record once' },
    {
      command: 'osmosis eval-rubric -r helpful -d conversations.jsonl -n 3 -c 8 -o reports',
      description: 'Three runs of each, eight requests at once',
    },
    {
      command: 'osmosis eval-rubric -r helpful -d conversations.jsonl --min-mean 0.7 --redact -b last.json',
      description: 'A gate in CI, compared with the last report',
    },
  ],
  exitCodes: [3, 143],
  handlesSignals: true,
};
