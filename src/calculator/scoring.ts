import { caseInsensitiveMatch, numericMatch } from '#osmosis';

/** What stands in the place of a number when a problem has none. */
export const NO_ANSWER = 'no answer';

const DEFAULT_TOLERANCE = 1e-6;

/** 1 for the right number, or for the right words where the truth is no number. */
export function resultMatch(solution: string, truth: string, tolerance = DEFAULT_TOLERANCE): number {
  if (Number.isNaN(Number(truth))) return caseInsensitiveMatch(solution, truth);
  return numericMatch(solution, truth, { tolerance });
}
