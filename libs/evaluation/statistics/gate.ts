import { OsmosisError } from '#domain';
import { reaches, type Estimate } from './estimate.js';

/** A figure that a gate can ask for. `k` stands for the number behind `@` or `^`. */
export type GateMetric = 'mean' | 'avg' | 'pass@' | 'pass^' | 'atleast@' | 'error_rate';

/** A condition on a run's figures, for CI: `pass@1>=0.8`, `exact.mean>0.5`, `error_rate<=0.05`. */
export interface Gate {
  /** As it was written. */
  readonly text: string;
  /** Undefined: the main scorer. */
  readonly scorer: string | undefined;
  readonly metric: GateMetric;
  /** The number behind `@` or `^`. */
  readonly k: number | undefined;
  readonly comparison: '>=' | '>' | '<=' | '<';
  readonly limit: number;
}

export interface GateVerdict {
  readonly gate: Gate;
  readonly passed: boolean;
  readonly estimate: Estimate;
  /** The bound that was held against the limit; null when there is none. */
  readonly bound: number | null;
}

const FORM =
  /^(?:(?<scorer>.+)\.)?(?<metric>mean|avg|error_rate|(?:pass@|pass\^|atleast@)(?<k>[1-9]\d*))\s*(?<comparison>>=|<=|>|<)\s*(?<limit>[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?%?)$/i;

/** @throws OsmosisError USAGE showing the form */
export function parseGate(text: string): Gate {
  const parts = FORM.exec(text.trim())?.groups;
  if (!parts) {
    throw new OsmosisError(
      'USAGE',
      `Gate ${JSON.stringify(text)} cannot be read. Write [scorer.]metric, a comparison and a number, like "pass@1>=0.8", ` +
        '"exact.mean>0.5" or "error_rate<=5%". Metrics: mean, avg, pass@k, pass^k, atleast@k, error_rate.',
    );
  }
  const { scorer, metric = '', k, comparison, limit = '' } = parts;
  return {
    text: text.trim(),
    scorer,
    metric: metric.replace(/\d+$/, '').toLowerCase() as GateMetric,
    k: k === undefined ? undefined : Number(k),
    comparison: comparison as Gate['comparison'],
    limit: limit.endsWith('%') ? Number(limit.slice(0, -1)) / 100 : Number(limit),
  };
}

/**
 * Holds the interval's bound against the limit, not the value: a gate says that the figure is good, not that it happened
 * to be. For `>` and `>=` the lower bound counts, for `<` and `<=` the upper one. A figure without an interval passes none.
 */
export function judgeGate(gate: Gate, estimate: Estimate): GateVerdict {
  const wantsHigh = gate.comparison.startsWith('>');
  const bound = estimate.interval ? estimate.interval[wantsHigh ? 'low' : 'high'] : null;
  return { gate, estimate, bound, passed: bound !== null && holds(bound, gate.comparison, gate.limit) };
}

/** Values that differ by rounding only are equal, as everywhere (case ST-06). */
export function holds(value: number, comparison: Gate['comparison'], limit: number): boolean {
  switch (comparison) {
    case '>=':
      return reaches(value, limit);
    case '>':
      return !reaches(limit, value);
    case '<=':
      return reaches(limit, value);
    case '<':
      return !reaches(value, limit);
  }
}
