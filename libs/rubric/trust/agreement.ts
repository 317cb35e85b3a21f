import { mean, sampleRankCorrelation } from 'simple-statistics';

/** A human's score and the judge's for the same text. */
export interface ScoredPair {
  readonly human: number;
  readonly judge: number;
}

/** Good means at or above the cut; `true` that the judge agrees with the human. */
export interface CutAgreement {
  readonly cut: number;
  readonly truePositive: number;
  readonly falsePositive: number;
  readonly trueNegative: number;
  readonly falseNegative: number;
  readonly accuracy: number;
  /** Null when one of the two calls everything the same. */
  readonly kappa: number | null;
}

export interface Agreement {
  readonly count: number;
  /** Rank correlation, ties averaged; null when one side does not vary. */
  readonly spearman: number | null;
  /** Mean of judge minus human: above 0 the judge is generous. */
  readonly bias: number;
  readonly meanAbsoluteError: number;
  /** At the threshold. */
  readonly atThreshold: CutAgreement;
  /** At every score that a human gave, but the lowest, which everything reaches. */
  readonly cuts: readonly CutAgreement[];
}

/** @param threshold what counts as good */
export function agreement(pairs: readonly ScoredPair[], threshold: number): Agreement | null {
  if (pairs.length === 0) return null;
  const differences = pairs.map(({ human, judge }) => judge - human);
  const levels = [...new Set(pairs.map((pair) => pair.human))].sort((a, b) => a - b).slice(1);
  return {
    count: pairs.length,
    spearman: rankCorrelation(
      pairs.map((pair) => pair.human),
      pairs.map((pair) => pair.judge),
    ),
    bias: mean(differences),
    meanAbsoluteError: mean(differences.map(Math.abs)),
    atThreshold: agreementAt(pairs, threshold),
    cuts: levels.map((cut) => agreementAt(pairs, cut)),
  };
}

export function agreementAt(pairs: readonly ScoredPair[], cut: number): CutAgreement {
  const countOf = (judgeGood: boolean, humanGood: boolean): number =>
    pairs.filter(({ human, judge }) => judge >= cut === judgeGood && human >= cut === humanGood).length;
  const truePositive = countOf(true, true);
  const falsePositive = countOf(true, false);
  const trueNegative = countOf(false, false);
  const falseNegative = countOf(false, true);
  const count = pairs.length;
  const accuracy = (truePositive + trueNegative) / count;
  const judgeGood = (truePositive + falsePositive) / count;
  const humanGood = (truePositive + falseNegative) / count;
  const byChance = judgeGood * humanGood + (1 - judgeGood) * (1 - humanGood);
  const kappa = byChance === 1 || humanGood === 0 || humanGood === 1 ? null : (accuracy - byChance) / (1 - byChance);
  return { cut, truePositive, falsePositive, trueNegative, falseNegative, accuracy, kappa };
}

export function rankCorrelation(a: readonly number[], b: readonly number[]): number | null {
  if (a.length < 2) return null;
  const value = sampleRankCorrelation([...a], [...b]);
  return Number.isFinite(value) ? value : null;
}
