import { RubricFileError } from '../config/file.problem.js';
import { readTextFile, reasonOf } from '../config/text.file.js';
import { deltas } from './run.statistics.js';
import type { BaselineComparison, RunStatistics } from './run.types.js';

export interface Baseline {
  readonly path: string;
  readonly statistics: Readonly<Record<string, number>>;
}

/**
 * The statistics of an earlier report, or a plain object of them (spec C.6).
 *
 * @throws RubricFileError for a file that is missing, no JSON object, or holds no statistics
 */
export async function loadBaseline(path: string): Promise<Baseline> {
  const text = await readTextFile(path);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw RubricFileError.at(path, `bad JSON: ${reasonOf(error)}`);
  }
  if (!isObject(value)) throw RubricFileError.at(path, 'must be a JSON object');
  const hasOwn = 'average' in value && 'variance' in value && 'stdev' in value;
  const source = isObject(value.overall_statistics) ? value.overall_statistics : hasOwn ? value : null;
  if (!source) throw RubricFileError.at(path, 'has neither overall_statistics nor average, variance and stdev');
  const numbers = Object.entries(source).filter((field): field is [string, number] => Number.isFinite(field[1]));
  if (numbers.length === 0) throw RubricFileError.at(path, 'has statistics, but none of them is a number');
  return { path, statistics: Object.fromEntries(numbers) };
}

export function compareWithBaseline(current: RunStatistics, baseline: Baseline): BaselineComparison {
  return {
    source_path: baseline.path,
    baseline_statistics: baseline.statistics,
    delta_statistics: deltas({ ...current }, baseline.statistics),
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
