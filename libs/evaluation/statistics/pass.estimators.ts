import { OsmosisError } from '#domain';

/**
 * Unbiased estimate of pass@k: the probability that at least one of k runs passes, from n runs of which c passed.
 *
 *     pass@k = 1 − C(n−c, k) / C(n, k)
 *
 * computed as 1 − Π (1 − k/i) for i = n−c+1 … n, which does not overflow. Source: Chen et al., "Evaluating Large Language
 * Models Trained on Code", 2021, section 2.1.
 *
 * @returns null for k > n: fewer runs than k cannot tell (case ST-01)
 */
export function passAtK(n: number, c: number, k: number): number | null {
  requireCounts(n, c, k);
  if (k > n) return null;
  if (n - c < k) return 1;
  let allFail = 1;
  for (let i = n - c + 1; i <= n; i++) allFail *= 1 - k / i;
  return 1 - allFail;
}

/**
 * Unbiased estimate of pass^k: the probability that k runs all pass.
 *
 *     pass^k = C(c, k) / C(n, k) = Π (c−j) / (n−j) for j = 0 … k−1
 *
 * Source: Yao et al., "τ-bench", 2024, section 3.
 *
 * @returns null for k > n
 */
export function passHatK(n: number, c: number, k: number): number | null {
  requireCounts(n, c, k);
  if (k > n) return null;
  let allPass = 1;
  for (let j = 0; j < k; j++) allPass *= Math.max(0, c - j) / (n - j);
  return allPass;
}

function requireCounts(n: number, c: number, k: number): void {
  if (Number.isInteger(n) && Number.isInteger(c) && Number.isInteger(k) && c >= 0 && c <= n && k >= 1) return;
  throw new OsmosisError('INTERNAL', `Not counts of runs: n=${n}, c=${c}, k=${k}; needed are 0 ≤ c ≤ n and k ≥ 1.`);
}
