import { NO_ANSWER } from './scoring.js';

/** One line of the dataset, in the columns that `osmosis test` and the reference's datasets have. */
export interface Problem {
  readonly id: string;
  readonly system_prompt: string;
  readonly user_prompt: string;
  readonly ground_truth: string;
  /** How far the numeric reward lets an answer be off. */
  readonly tolerance?: number;
}

const SYSTEM_PROMPT =
  'You solve arithmetic. Use the tools for every operation, one call each; calls that do not need each other may go ' +
  `together. End with the result and nothing else, or with "${NO_ANSWER}" if there is none.`;

type Row = readonly [prompt: string, truth: string, tolerance?: number];

const ROWS: readonly Row[] = [
  ['What is 17 + 25?', '42'],
  ['What is 91 - 134?', '-43'],
  ['What is 12.5 * 8?', '100'],
  ['What is 144 / 9?', '16'],
  ['Work out 3 + 4 * 5.', '23'],
  ['Work out (3 + 4) * 5.', '35'],
  ['Work out 100 - 36 / 4 - 1.', '90'],
  ['Work out 2 * 3 * 4 * 5 * 6.', '720'],
  ['What is (1 + 2) * (3 + 4)?', '21'],
  ['What is (18 - 6) / (9 - 5)?', '3'],
  ['Evaluate ((2 + 3) * (7 - 4) - 5) / 2.', '5'],
  ['Evaluate (8 / 2 + 6 * 3) * (10 - 7) - 1.', '65'],
  ['Evaluate (1 + 2 * (3 + 4 * (5 + 6))) / 5.', '19'],
  ['Evaluate ((1 + 2) * (3 + 4)) - ((5 + 6) * (7 - 8)).', '32'],
  ['Compute -6 * (4 - 11).', '42'],
  ['Compute -(2 + 3) * -4.', '20'],
  ['Compute 0.1 + 0.2.', '0.3'],
  ['Compute 10 / 3 to two places.', '3.33', 0.005],
  ['Compute 22 / 7 to three places.', '3.143', 0.0005],
  ['Compute 1000000 * 1000000 + 1.', '1000000000001'],
  ['What is 5 / 0?', NO_ANSWER],
  ['What is (4 + 6) / (3 * 2 - 6)?', NO_ANSWER],
  ['What is x + 3?', NO_ANSWER],
  ['What is 7 * (apples - 2)?', NO_ANSWER],
  ['Evaluate (90 - 15) / (2 + 3) + 4 * (6 - 1).', '35'],
  ['Evaluate 64 / 2 / 4 / 8.', '1'],
  ['Evaluate ((10 - 4) * (10 + 4)) / (3 * 7).', '4'],
  ['Work out 15 + 15 / (1 + 2 * 2).', '18'],
];

/** The calculator's dataset; `problems.jsonl` beside it is the same, for the command line. */
export const PROBLEMS: readonly Problem[] = ROWS.map(([user_prompt, ground_truth, tolerance], index) => ({
  id: `sum-${String(index + 1).padStart(2, '0')}`,
  system_prompt: SYSTEM_PROMPT,
  user_prompt,
  ground_truth,
  ...(tolerance !== undefined && { tolerance }),
}));
