import type { OptionDeclaration } from '../../cli/declaration.js';

/** What several of the `eval` commands take. */
export const EVAL_FN_OPTION: OptionDeclaration = {
  flags: '--eval-fn <path:export>',
  description:
    'Also score by this function: (solutionStr, groundTruth, extraInfo) or (messages, groundTruth, metadata), a number',
  repeatable: true,
};

export const BY_OPTION: OptionDeclaration = {
  flags: '--by <column>',
  description: 'Split the results by a column of the dataset',
  repeatable: true,
};

export const THRESHOLD_OPTION: OptionDeclaration = {
  flags: '--pass-threshold <score>',
  description: 'A run passes when its score reaches this',
  number: {},
  default: '1, or that of the evaluation',
};

export const PASS_K_OPTION: OptionDeclaration = {
  flags: '--pass-k <k,…>',
  description: 'Which pass@k and pass^k to show, e.g. 1,2,4,8',
  default: '1, 3, 5 and 10, as far as there are runs',
};

export const GATE_OPTION: OptionDeclaration = {
  flags: '--gate <condition>',
  description:
    'End with 1 unless this holds, e.g. "pass@1>=0.8", "exact.mean>0.5", "error_rate<=5%". ' +
    "The bound of the figure's interval is held against the limit, not the figure",
  repeatable: true,
};

export const CONFIDENCE_OPTION: OptionDeclaration = {
  flags: '--confidence <share>',
  description: 'Probability that an interval holds the true value',
  number: { min: 0.5, max: 0.9999 },
  default: '0.95',
};
