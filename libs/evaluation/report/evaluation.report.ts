import type { RunSummary } from '../run/run.record.js';
import { compare, DEFAULT_CONFIDENCE, type Comparison, type GateVerdict } from '../statistics/index.js';
import { runsOf, type EvaluationData, type NamedEvaluation } from './evaluation.data.js';
import { samplesOf, summarizeRuns, type RunsSummary, type SummaryRequest } from './runs.summary.js';
import { sliceRuns, unknownColumns, type Slice } from './slices.js';
import { foreignRows, warningsOf } from './warnings.js';

/** Everything that a report shows, computed once. */
export interface EvaluationReport {
  readonly data: EvaluationData;
  /** What it is called beside others: its model, unless another is called so. */
  readonly name: string;
  readonly primary: RunsSummary;
  /** What it is compared with: its own baseline, then other evaluations. */
  readonly others: readonly ComparedRuns[];
  readonly slices: readonly Slice[];
  readonly gates: readonly GateVerdict[];
  readonly warnings: readonly string[];
  /** US dollars; null without a price for the model. */
  readonly cost: number | null;
  /** Probability that an interval holds the true value. */
  readonly confidence: number;
}

/** Runs of the same rows that an evaluation is compared with. */
export interface ComparedRuns {
  readonly name: string;
  /** `baseline`: of the same evaluation. */
  readonly kind: 'baseline' | 'evaluation';
  readonly runs: readonly RunSummary[];
  readonly summary: RunsSummary;
  /** Scorer → what the evaluation is better by, row by row. */
  readonly comparisons: ReadonlyMap<string, Comparison>;
}

export interface ReportRequest {
  /** Default: the model. */
  readonly name?: string;
  readonly sliceBy?: readonly string[];
  readonly confidence?: number;
  readonly seed?: number;
  /** Another threshold than the one it was run with. */
  readonly threshold?: number;
  readonly ks?: readonly number[];
  /** Other evaluations over the same rows, to compare it with. */
  readonly against?: readonly NamedEvaluation[];
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
  const primary = summarizeRuns(runs, summaryRequest);
  const slices = sliceRuns(runs, data.labels, request.sliceBy ?? [], summaryRequest);
  const lost = unknownColumns(slices).map((column) => `No row has a column '${column}' to split the results by.`);
  const against = request.against ?? [];
  return {
    data,
    name: request.name ?? data.config.model,
    primary,
    others: othersOf(data, against).map((other) => compared(runs, other, primary, summaryRequest)),
    slices,
    gates: request.gates?.(primary) ?? [],
    warnings: [...lost, ...foreignRows(data, against), ...warningsOf(primary)],
    cost: request.cost ?? null,
    confidence: request.confidence ?? DEFAULT_CONFIDENCE,
  };
}

type Other = Pick<ComparedRuns, 'name' | 'kind' | 'runs'>;

function othersOf(data: EvaluationData, against: readonly NamedEvaluation[]): Other[] {
  const baseline = runsOf(data, 'baseline');
  const { model, baselineModel } = data.config;
  const name = baselineModel === model ? `${model} (baseline)` : (baselineModel ?? 'baseline');
  const own: Other = { name, kind: 'baseline', runs: baseline };
  return [
    ...(baseline.length > 0 ? [own] : []),
    ...against.map((other): Other => ({
      name: other.name,
      kind: 'evaluation',
      runs: runsOf(other.data, 'primary'),
    })),
  ];
}

function compared(
  runs: readonly RunSummary[],
  other: Other,
  { scorers }: RunsSummary,
  request: SummaryRequest,
): ComparedRuns {
  const comparisons = new Map(
    scorers.map(({ name }) => [name, compare(samplesOf(runs, name), samplesOf(other.runs, name), request)]),
  );
  return { ...other, summary: summarizeRuns(other.runs, request), comparisons };
}
