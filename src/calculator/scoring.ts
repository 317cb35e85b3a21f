/** What stands in the place of a number when a problem has none. */
export const NO_ANSWER = 'no answer';

const NUMBER = /-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi;
const DEFAULT_TOLERANCE = 1e-6;

export function isExactly(solution: string, truth: string): boolean {
  return solution.trim() === truth.trim();
}

/** Compares the last number of the solution; for a truth that is no number, the texts without regard to case. */
export function isNumerically(solution: string, truth: string, tolerance = DEFAULT_TOLERANCE): boolean {
  const wanted = Number(truth);
  if (Number.isNaN(wanted)) return solution.trim().toLowerCase() === truth.trim().toLowerCase();
  const found = solution.match(NUMBER)?.at(-1);
  return found !== undefined && Math.abs(Number(found) - wanted) <= tolerance;
}
