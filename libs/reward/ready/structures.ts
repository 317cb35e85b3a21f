import { isDeepStrictEqual } from 'node:util';

/** Rewards for answers that are structures. */

export interface JsonOptions {
  /** Take lists as bags: the order of their elements does not count. */
  readonly ignoreOrder?: boolean;
}

/**
 * 1 when both are the same JSON value; the order of keys never counts. 0 when the solution is no JSON. A Markdown fence
 * around the solution is taken off.
 *
 * @throws SyntaxError when the ground truth is no JSON
 */
export function jsonMatch(solutionStr: string, groundTruth: string, { ignoreOrder = false }: JsonOptions = {}): number {
  const truth: unknown = JSON.parse(groundTruth);
  let solution: unknown;
  try {
    solution = JSON.parse(unfenced(solutionStr));
  } catch {
    return 0;
  }
  return isDeepStrictEqual(ignoreOrder ? sorted(solution) : solution, ignoreOrder ? sorted(truth) : truth) ? 1 : 0;
}

export interface SetOptions {
  /** Between elements. Default: commas, semicolons and line breaks. */
  readonly separator?: string | RegExp;
}

/**
 * How much two sets of elements have in common: size of the intersection by size of the union (Jaccard). Elements are
 * compared without case and white space around them. 1 when both are empty.
 */
export function setOverlap(solutionStr: string, groundTruth: string, options: SetOptions = {}): number {
  const { separator = /[,;\n]/ } = options;
  const elements = (text: string): Set<string> =>
    new Set(
      text
        .split(separator)
        .map((element) => element.trim().toLowerCase())
        .filter((element) => element !== ''),
    );
  const [solution, truth] = [elements(solutionStr), elements(groundTruth)];
  const common = [...solution].filter((element) => truth.has(element)).length;
  const union = solution.size + truth.size - common;
  return union === 0 ? 1 : common / union;
}

function unfenced(text: string): string {
  return /^\s*```\w*\s*\n([\s\S]*?)\n?```\s*$/.exec(text)?.[1] ?? text;
}

/** Lists in one fixed order, at every depth. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(sorted).sort((one, other) => compare(JSON.stringify(one), JSON.stringify(other)));
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([one], [other]) => compare(one, other));
  return Object.fromEntries(entries.map(([key, field]) => [key, sorted(field)]));
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
