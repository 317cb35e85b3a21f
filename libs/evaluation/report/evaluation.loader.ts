import { readLog } from '../run/log/log.reader.js';
import type { LogHeader } from '../run/log/log.header.js';
import { RunLogError } from '../run/log/log.error.js';
import { keyOf, summaryOf, type RunSummary } from '../run/run.record.js';
import type { EvaluationConfig, EvaluationData } from './evaluation.data.js';
import { inOrder } from './runs.summary.js';
import { labelsOf } from './slices.js';

/**
 * The results of an evaluation from its log, whether it was finished or not. Conversations are passed over.
 *
 * @param sliceBy columns whose values are wanted
 * @throws RunLogError for a file that is no result log
 */
export async function loadEvaluation(path: string, sliceBy: readonly string[] = []): Promise<EvaluationData> {
  const runs = new Map<string, RunSummary>();
  const labels = new Map<number, Readonly<Record<string, string>>>();
  let config: EvaluationConfig | undefined;
  let startedAt = '';
  let durationMs = 0;
  let stopReason: string | null = BROKEN_OFF;
  for await (const { line } of readLog(path)) {
    switch (line.type) {
      case 'header':
        config = configOf(line, path);
        startedAt = line.started_at;
        break;
      case 'row':
        if (sliceBy.length > 0) labels.set(line.row_index, labelsOf(line.values, sliceBy));
        break;
      case 'run': {
        const { type: _type, ...record } = line;
        runs.set(keyOf(record), summaryOf(record));
        stopReason = BROKEN_OFF;
        break;
      }
      case 'session':
        durationMs += line.duration_ms;
        stopReason = line.stop_reason;
    }
  }
  if (!config) throw new RunLogError(path, 'has no header');
  return { config, runs: inOrder([...runs.values()]), labels, startedAt, durationMs, stopReason };
}

const BROKEN_OFF = 'its process was ended';

function configOf({ config, identity }: LogHeader, path: string): EvaluationConfig {
  const { model, runsPerRow, threshold, ks, scorers } = config as Partial<EvaluationConfig>;
  const isWhole =
    typeof model === 'string' && typeof runsPerRow === 'number' && typeof threshold === 'number' && Array.isArray(ks);
  if (!isWhole || !Array.isArray(scorers)) throw new RunLogError(path, 'its header does not say what was evaluated');
  return { ...(config as unknown as Omit<EvaluationConfig, 'identity'>), identity };
}
