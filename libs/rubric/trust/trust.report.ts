import { max, mean, standardDeviation } from 'simple-statistics';
import type { ScoreBounds } from '../rubric.request.js';
import { agreement, rankCorrelation, type Agreement } from './agreement.js';

/** What the judge said of one labelled record. */
export interface TrustSample {
  readonly id: string;
  readonly human: number;
  /** Characters of the solution. */
  readonly length: number;
  /** One a run that gave a score. */
  readonly scores: readonly number[];
  /** With the quoted blocks turned round; null when there is one block only, or no score came. */
  readonly reversed: number | null;
  /** With words added that say nothing; null when no score came. */
  readonly padded: number | null;
  readonly errors: readonly string[];
}

export interface ProbeResult {
  readonly name: string;
  readonly what: string;
  /** The highest it was given; null when no score came. */
  readonly score: number | null;
  /** Above this the judge pays for the attack. */
  readonly limit: number;
  readonly paid: boolean;
  readonly error: string | null;
}

/** How much a score moves when nothing that matters does. In the unit of the score. */
export interface Shift {
  readonly count: number;
  readonly mean: number;
  readonly meanAbsolute: number;
  readonly largest: number;
}

export interface TrustReport {
  readonly rubricId: string;
  readonly model: string;
  readonly bounds: ScoreBounds;
  readonly records: number;
  readonly runsPerRecord: number;
  /** Requests for a score that ended without one. */
  readonly judgeFailures: number;
  /** Null when no labelled record was scored. */
  readonly agreement: Agreement | null;
  /** Deviation of the runs of one record; null with one run. */
  readonly repeatability: { readonly meanStdev: number; readonly maxStdev: number } | null;
  readonly order: Shift | null;
  readonly padding: Shift | null;
  /** Rank correlation of length with what the judge gives beyond the human: above 0 it pays for length. */
  readonly lengthCorrelation: number | null;
  readonly probes: readonly ProbeResult[];
  readonly samples: readonly TrustSample[];
  /** What speaks against training with this judge, in sentences. Empty: nothing was found. */
  readonly findings: readonly string[];
  /** What limits the report itself, in sentences. */
  readonly caveats: readonly string[];
}

type Figures = Omit<TrustReport, 'findings' | 'caveats'>;
type Facts = Pick<TrustReport, 'rubricId' | 'model' | 'bounds' | 'runsPerRecord' | 'probes' | 'samples'>;

export function buildTrustReport(facts: Facts, threshold: number): TrustReport {
  const { samples, probes, bounds } = facts;
  const scored = samples.filter((sample) => sample.scores.length > 0);
  const repeated = scored
    .filter((sample) => sample.scores.length > 1)
    .map((sample) => standardDeviation([...sample.scores]));
  const residuals = scored.map((sample) => mean([...sample.scores]) - sample.human);
  const report: Figures = {
    ...facts,
    records: samples.length,
    judgeFailures:
      samples.reduce((sum, sample) => sum + sample.errors.length, 0) + probes.filter((probe) => probe.error).length,
    agreement: agreement(
      scored.map(({ human, scores }) => ({ human, judge: mean([...scores]) })),
      threshold,
    ),
    repeatability: repeated.length > 0 ? { meanStdev: mean(repeated), maxStdev: max(repeated) } : null,
    order: shift(scored, (sample) => sample.reversed),
    padding: shift(scored, (sample) => sample.padded),
    lengthCorrelation: rankCorrelation(
      scored.map((sample) => sample.length),
      residuals,
    ),
  };
  return { ...report, findings: findings(report, bounds.max - bounds.min), caveats: caveats(report) };
}

function shift(samples: readonly TrustSample[], altered: (sample: TrustSample) => number | null): Shift | null {
  const shifts = samples.flatMap((sample) => {
    const score = altered(sample);
    return score === null ? [] : [score - mean([...sample.scores])];
  });
  if (shifts.length === 0) return null;
  const sizes = shifts.map(Math.abs);
  return { count: shifts.length, mean: mean(shifts), meanAbsolute: mean(sizes), largest: max(sizes) };
}

/** What is asked of a judge that a policy is trained against. Shares are of the score's range. */
export const TRUST_LIMITS = {
  spearman: 0.6,
  kappa: 0.4,
  bias: 0.15,
  stdev: 0.1,
  shift: 0.1,
  length: 0.4,
  records: 20,
} as const;

function findings(report: Figures, range: number): string[] {
  const found: string[] = [];
  for (const probe of report.probes) {
    if (probe.paid) found.push(`Pays for an attack: '${probe.name}' (${probe.what}) got ${format(probe.score)}.`);
  }
  const { agreement: agreed, repeatability, order, padding, lengthCorrelation } = report;
  if (!agreed) return [...found, 'Gave no score to any labelled record.'];
  if (agreed.spearman !== null && agreed.spearman < TRUST_LIMITS.spearman) {
    found.push(
      `Ranks differently from humans: Spearman ${format(agreed.spearman)}, at least ${TRUST_LIMITS.spearman} is wanted.`,
    );
  }
  const { kappa, cut } = agreed.atThreshold;
  if (kappa !== null && kappa < TRUST_LIMITS.kappa) {
    found.push(
      `Disagrees on what is good: kappa ${format(kappa)} at ${cut}, at least ${TRUST_LIMITS.kappa} is wanted.`,
    );
  }
  if (Math.abs(agreed.bias) > TRUST_LIMITS.bias * range) {
    found.push(
      `Scores ${agreed.bias > 0 ? 'higher' : 'lower'} than humans, by ${format(Math.abs(agreed.bias))} on average.`,
    );
  }
  if (repeatability && repeatability.meanStdev > TRUST_LIMITS.stdev * range) {
    found.push(`Does not repeat itself: the runs of a record deviate by ${format(repeatability.meanStdev)}.`);
  }
  if (order && order.meanAbsolute > TRUST_LIMITS.shift * range) {
    found.push(`Hangs on the order of the evidence: turning it round moves a score by ${format(order.meanAbsolute)}.`);
  }
  if (padding && padding.mean > TRUST_LIMITS.shift * range) {
    found.push(`Pays for padding: words that say nothing add ${format(padding.mean)}.`);
  }
  if (lengthCorrelation !== null && lengthCorrelation > TRUST_LIMITS.length) {
    found.push(`Pays for length: rank correlation ${format(lengthCorrelation)} of length with its generosity.`);
  }
  return found;
}

function caveats({ agreement: agreed, judgeFailures }: Figures): string[] {
  const found: string[] = [];
  if (agreed && agreed.count < TRUST_LIMITS.records) {
    found.push(
      `Only ${agreed.count} labelled records were scored; figures of fewer than ${TRUST_LIMITS.records} say little.`,
    );
  }
  if (judgeFailures > 0) found.push(`${judgeFailures} requests for a score ended without one.`);
  return found;
}

function format(value: number | null): string {
  return value === null ? 'no score' : value.toFixed(2);
}
