import { OsmosisError } from '#domain';
import { max, min, standardDeviation } from 'simple-statistics';
import { readLog } from '../run/log/log.reader.js';
import type { RunSummary } from '../run/run.record.js';
import { mainScorer } from '../run/scoring/score.entries.js';
import { passesOf, type RowSample } from '../statistics/index.js';
import { runsOf } from './evaluation.data.js';
import { loadEvaluation } from './evaluation.loader.js';
import { KeepExpression, type RowFigures } from './keep.expression.js';
import { samplesOf, scorerNames } from './runs.summary.js';

export interface CurriculumRequest {
  /** The log of an evaluation. */
  readonly log: string;
  /** Which rows are worth training on, e.g. `0 < mean < 1`: neither always nor never solved. */
  readonly keep: string;
  /** Default: the scorer that stands for all. */
  readonly scorer?: string;
  /** Default: that of the evaluation. */
  readonly threshold?: number;
}

export interface CurriculumResult {
  readonly rows: number;
  readonly kept: readonly number[];
  readonly scorer: string | undefined;
}

/**
 * Picks the rows that are worth training on, in their order.
 *
 * @throws OsmosisError USAGE for a condition that cannot be read or a scorer that there is not, RunLogError
 */
export async function selectCurriculum(request: CurriculumRequest): Promise<CurriculumResult> {
  const keep = KeepExpression.parse(request.keep);
  const data = await loadEvaluation(request.log);
  const runs = runsOf(data, 'primary');
  const names = scorerNames(runs, data.config.scorers);
  if (request.scorer !== undefined && !names.includes(request.scorer)) throw unknownScorer(request.scorer, names);
  const scorer = request.scorer ?? mainScorer(names);
  const samples = scorer === undefined ? [] : samplesOf(runs, scorer);
  const threshold = request.threshold ?? data.config.threshold;
  const figures = figuresByRow(runs, samples, threshold);
  const kept = [...figures].filter(([, row]) => keep.keeps(row)).map(([row]) => row);
  return { rows: figures.size, kept, scorer };
}

function figuresByRow(
  runs: readonly RunSummary[],
  samples: readonly RowSample[],
  threshold: number,
): Map<number, RowFigures> {
  const byRow = new Map(samples.map((sample) => [sample.row, { sample, n: 0, errors: 0 }]));
  for (const { row_index, success } of runs) {
    const row = byRow.get(row_index);
    if (!row) continue;
    row.n++;
    if (!success) row.errors++;
  }
  return new Map(
    [...byRow].map(([row, { sample, n, errors }]) => [row, { ...scoresOf(sample, threshold), n, errors }]),
  );
}

function scoresOf(sample: RowSample, threshold: number): Omit<RowFigures, 'n' | 'errors'> {
  const scores = [...sample.scores];
  const { attempts, passes } = passesOf(sample, threshold);
  const pass_rate = attempts > 0 ? passes / attempts : null;
  if (scores.length === 0) return { pass_rate, mean: null, std: null, min: null, max: null };
  const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
  return { pass_rate, mean, std: standardDeviation(scores), min: min(scores), max: max(scores) };
}

/**
 * Rows as JSON lines, as they were in the dataset and in its order: the log has them in the order in which their runs were
 * finished.
 */
export async function curriculumLines(log: string, { kept: wanted }: CurriculumResult): Promise<string[]> {
  const kept = new Set(wanted);
  const rows = new Map<number, string>();
  for await (const { line } of readLog(log)) {
    if (line.type === 'row' && kept.has(line.row_index)) rows.set(line.row_index, `${JSON.stringify(line.values)}\n`);
  }
  return [...rows].sort(([a], [b]) => a - b).map(([, text]) => text);
}

function unknownScorer(scorer: string, names: readonly string[]): OsmosisError {
  return new OsmosisError('USAGE', `There is no scorer '${scorer}'. Scorers: ${names.join(', ') || 'none'}.`);
}
