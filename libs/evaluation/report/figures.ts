import { OsmosisError } from '#domain';
import { judgeGate, NO_ESTIMATE, type Estimate, type Gate, type GateVerdict } from '../statistics/index.js';
import type { RunsSummary } from './runs.summary.js';

/** Judges the gates of a run. A gate on a scorer that gave nothing does not pass. */
export function judgeGates(gates: readonly Gate[], summary: RunsSummary): GateVerdict[] {
  return gates.map((gate) => judgeGate(gate, figureOf(gate, summary)));
}

/** The figure that a gate asks for; without value where there is none, e.g. pass@5 of two runs. */
export function figureOf(gate: Gate, summary: RunsSummary): Estimate {
  if (gate.metric === 'error_rate') return summary.errorRate;
  const scorer = gate.scorer === undefined ? summary.main : summary.scorers.find(({ name }) => name === gate.scorer);
  if (!scorer) return NO_ESTIMATE;
  const k = gate.k ?? 1;
  switch (gate.metric) {
    case 'mean':
      return scorer.mean;
    case 'avg':
      return scorer.averageOfRows;
    case 'pass@':
      return k === 1 ? scorer.passRate : (scorer.passAt.get(k) ?? NO_ESTIMATE);
    case 'pass^':
      return k === 1 ? scorer.passRate : (scorer.passHat.get(k) ?? NO_ESTIMATE);
    case 'atleast@':
      return scorer.atLeast.get(k) ?? NO_ESTIMATE;
  }
}

/** The k that gates ask for, so that they are computed. */
export function ksOf(gates: readonly Gate[]): number[] {
  return gates.flatMap(({ metric, k }) => (k !== undefined && metric !== 'atleast@' ? [k] : []));
}

/** @throws OsmosisError USAGE for a gate on a scorer that there will not be */
export function requireScorersOf(gates: readonly Gate[], scorers: readonly string[]): void {
  const lost = gates.find(({ scorer }) => scorer !== undefined && !scorers.includes(scorer));
  if (!lost) return;
  const known = scorers.join(', ') || 'none';
  throw new OsmosisError('USAGE', `Gate "${lost.text}": there is no scorer '${lost.scorer}'. Scorers: ${known}.`);
}
