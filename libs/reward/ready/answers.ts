import { distance } from 'fastest-levenshtein';

/** Rewards for answers that can be compared as text. All give a number from 0 to 1. */

/** 1 when both are the same text, white space around them left out. */
export function exactMatch(solutionStr: string, groundTruth: string): number {
  return solutionStr.trim() === groundTruth.trim() ? 1 : 0;
}

/** 1 when both are the same text but for case and white space around them. */
export function caseInsensitiveMatch(solutionStr: string, groundTruth: string): number {
  return exactMatch(solutionStr.toLowerCase(), groundTruth.toLowerCase());
}

export interface NumericOptions {
  /** Greatest difference that still counts. Default 0.01. */
  readonly tolerance?: number;
  /** Take `tolerance` as a share of the truth. */
  readonly relative?: boolean;
}

/**
 * 1 when the last number of the solution is the number of the ground truth, within the tolerance. Thousands separators
 * (`1,234.5`), signs and exponents are read. 0 when the solution has no number.
 *
 * @throws RangeError when the ground truth is no number: that is a fault of the data, not of the answer
 */
export function numericMatch(solutionStr: string, groundTruth: string, options: NumericOptions = {}): number {
  const truth = lastNumber(groundTruth);
  if (truth === undefined) throw new RangeError(`The ground truth ${JSON.stringify(groundTruth)} is no number`);
  const found = lastNumber(solutionStr);
  if (found === undefined) return 0;
  const { tolerance = 0.01, relative = false } = options;
  return Math.abs(found - truth) <= tolerance * (relative ? Math.abs(truth) : 1) ? 1 : 0;
}

/**
 * 1 when what follows the last `####` of the solution is the ground truth, or what follows its `####` (the form of GSM8K).
 * Separators in numbers do not count. 0 without a `####`.
 */
export function hashAnswerMatch(solutionStr: string, groundTruth: string): number {
  const found = afterHashes(solutionStr);
  if (found === undefined) return 0;
  return normalised(found) === normalised(afterHashes(groundTruth) ?? groundTruth) ? 1 : 0;
}

/**
 * 1 when the solution matches a pattern; the ground truth is the pattern unless one is given.
 *
 * @throws SyntaxError when it is no regular expression
 */
export function regexMatch(solutionStr: string, groundTruth: string, pattern?: RegExp): number {
  // A pattern with the flag g or y would remember where it stood.
  const expression = pattern ? new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, '')) : new RegExp(groundTruth);
  return expression.test(solutionStr) ? 1 : 0;
}

/** 1 for the same text, less by each edit that is needed, 0 when nothing is alike: 1 − edits ⁄ length of the longer. */
export function similarity(solutionStr: string, groundTruth: string): number {
  const [solution, truth] = [solutionStr.trim(), groundTruth.trim()];
  const longest = Math.max(solution.length, truth.length);
  return longest === 0 ? 1 : 1 - distance(solution, truth) / longest;
}

export interface LengthOptions {
  /** Characters that cost nothing. */
  readonly free: number;
  /** Characters from which on the penalty is whole. */
  readonly limit: number;
}

/** 0 up to the free length, −1 from the limit on, and a straight line between. Give it a weight of its own. */
export function lengthPenalty(solutionStr: string, { free, limit }: LengthOptions): number {
  const over = Math.max(0, solutionStr.length - free);
  return over === 0 ? 0 : -Math.min(1, over / Math.max(1, limit - free));
}

const NUMBER = /[-+]?(?:(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?/g;

function lastNumber(text: string): number | undefined {
  const last = text.match(NUMBER)?.at(-1);
  const value = last === undefined ? NaN : Number(last.replaceAll(',', ''));
  return Number.isFinite(value) ? value : undefined;
}

function afterHashes(text: string): string | undefined {
  const at = text.lastIndexOf('####');
  return at < 0 ? undefined : text.slice(at + 4).split('\n')[0];
}

function normalised(answer: string): string {
  return answer.trim().replace(/(?<=\d),(?=\d{3}\b)/g, '');
}
