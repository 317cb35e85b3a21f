import type { RunSummary } from '../run/run.record.js';
import { compare, type Comparison, type GateVerdict } from '../statistics/index.js';
import { runsOf, type EvaluationData } from './evaluation.data.js';
import { samplesOf, summarizeRuns, type RunsSummary, type SummaryRequest } from './runs.summary.js';
import { sliceRuns, unknownColumns, type Slice } from './slices.js';
import { warningsOf } from './warnings.js';

/** Everything that a report shows, computed once. */
export interface EvaluationReport {
  readonly data: EvaluationData;
  readonly primary: RunsSummary;
  readonly baseline: RunsSummary | null;
  /** Scorer → comparison with the baseline, row by row. */
  readonly comparisons: ReadonlyMap<string, Comparison>;
  readonly slices: readonly Slice[];
  readonly gates: readonly GateVerdict[];
  readonly warnings: readonly string[];
  /** US dollars; null without a price for the model. */
  readonly cost: number | null;
}

export interface ReportRequest {
  readonly sliceBy?: readonly string[];
  readonly confidence?: number;
  readonly seed?: number;
  /** Another threshold than the one it was run with. */
  readonly threshold?: number;
  readonly ks?: readonly number[];
  /** What it is compared with: another evaluation over the same rows. Default: its own baseline. */
  readonly against?: EvaluationData;
  readonly gates?: (summary: RunsSummary) => readonly GateVerdict[];
  readonly cost?: number | null;
}

export function buildReport(data: EvaluationData, request: ReportRequest = {}): EvaluationReport {
  const summaryRequest: SummaryRequest = {
    threshold: request.threshold ?? data.config.threshold,
    ks: request.ks ?? data.config.ks,
    confidence: request.confidence,
    seed: request.seed,
    scorers: data.config.scorers,
  };
  const runs = runsOf(data, 'primary');
  const others = request.against ? runsOf(request.against, 'primary') : runsOf(data, 'baseline');
  const primary = summarizeRuns(runs, summaryRequest);
  const baseline = others.length > 0 ? summarizeRuns(others, summaryRequest) : null;
  const slices = sliceRuns(runs, data.labels, request.sliceBy ?? [], summaryRequest);
  const lost = unknownColumns(slices).map((column) => `No row has a column '${column}' to split the results by.`);
  return {
    data,
    primary,
    baseline,
    comparisons: baseline ? comparisonsOf(runs, others, primary, summaryRequest) : new Map(),
    slices,
    gates: request.gates?.(primary) ?? [],
    warnings: [...lost, ...warningsOf(primary)],
    cost: request.cost ?? null,
  };
}

function comparisonsOf(
  runs: readonly RunSummary[],
  others: readonly RunSummary[],
  { scorers }: RunsSummary,
  request: SummaryRequest,
): Map<string, Comparison> {
  return new Map(scorers.map(({ name }) => [name, compare(samplesOf(runs, name), samplesOf(others, name), request)]));
}
