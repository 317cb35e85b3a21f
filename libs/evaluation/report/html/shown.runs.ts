import { finalRuns, type LogRun } from '../../run/log/log.reader.js';
import type { EvaluationReport } from '../evaluation.report.js';

/** A run that the page shows, and whose it is. */
export interface ShownRun {
  readonly record: LogRun;
  /** 0: the evaluation itself; from 1 on: its others, in the order of the report. */
  readonly by: number;
}

/** The runs of all logs, one from each in turn: rows are in much the same order in all, so that few stay unfinished. */
export async function* mergedRuns(
  log: string,
  { others }: EvaluationReport,
  otherLogs: readonly string[],
): AsyncGenerator<ShownRun> {
  const baseline = others.findIndex(({ kind }) => kind === 'baseline');
  const first = others.findIndex(({ kind }) => kind === 'evaluation');
  const sources = [ownRuns(log, baseline + 1), ...otherLogs.map((path, index) => primaryRuns(path, first + 1 + index))];
  while (sources.length > 0) {
    for (const source of [...sources]) {
      const { done, value } = await source.next();
      if (done) sources.splice(sources.indexOf(source), 1);
      else yield value;
    }
  }
}

async function* ownRuns(log: string, baseline: number): AsyncGenerator<ShownRun, undefined> {
  for await (const record of finalRuns(log)) yield { record, by: record.model_tag === 'baseline' ? baseline : 0 };
}

/** An evaluation's own baseline is not what others are compared with. */
async function* primaryRuns(log: string, by: number): AsyncGenerator<ShownRun, undefined> {
  for await (const record of finalRuns(log)) if (record.model_tag !== 'baseline') yield { record, by };
}
