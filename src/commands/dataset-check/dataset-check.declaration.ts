import type { CommandDeclaration } from '../../cli/declaration.js';
import { DATASET_READING } from '../../evaluation/evaluation.declarations.js';

export const DATASET_CHECK: CommandDeclaration = {
  name: 'dataset check',
  summary: 'Say everything that is wrong with a dataset',
  description:
    'Reads every row as osmosis test and osmosis eval do, and tells how many cannot be used and why, with the places ' +
    'of the first of each kind; then what the columns hold, and the first rows. Ends with 1 when any row is unusable, ' +
    'or when there are none.',
  arguments: [
    {
      name: 'file',
      description: 'The rows: .jsonl, .json, .csv (each also .gz) or .parquet; - is standard input',
      required: true,
    },
  ],
  options: DATASET_READING,
  examples: [
    { command: 'osmosis dataset check problems.jsonl', description: 'All of a file' },
    {
      command: 'osmosis dataset check rows.parquet --columns user_prompt=question --columns ground_truth=answer',
      description: 'A dataset with columns of other names',
    },
    {
      command: 'zcat rows.csv.gz | osmosis dataset check - --format csv --limit 1000 --json',
      description: 'The beginning of a stream',
    },
  ],
};
