import {
  buildReport,
  judgeGates,
  ksOf,
  loadEvaluation,
  nameEvaluations,
  requireScorersOf,
  type EvaluationReport,
} from '#evaluation/plain';
import type { ReportOptions } from './report.options.js';

/**
 * The report of an evaluation from its log, compared with others.
 *
 * @param logs its own first
 * @throws RunLogError, OsmosisError USAGE for a gate on a scorer that there is not
 */
export async function reportOfLogs(
  logs: readonly [string, ...string[]],
  { sliceBy, threshold, ks, gates, confidence }: ReportOptions,
): Promise<EvaluationReport> {
  const [log, ...others] = logs;
  const data = await loadEvaluation(log, sliceBy);
  const loaded = [{ path: log, data }];
  for (const path of others) loaded.push({ path, data: await loadEvaluation(path) });
  const [named, ...against] = nameEvaluations(loaded);
  return buildReport(data, {
    name: named?.name,
    against,
    sliceBy,
    threshold,
    confidence,
    ks: [...new Set([...(ks ?? data.config.ks), ...ksOf(gates)])].sort((a, b) => a - b),
    gates: (summary) => {
      const names = summary.scorers.map(({ name }) => name);
      requireScorersOf(gates, names);
      return judgeGates(gates, summary);
    },
  });
}
