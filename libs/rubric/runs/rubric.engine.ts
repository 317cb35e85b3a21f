import pLimit from 'p-limit';
import type { Cancellation, Clock } from '#domain';
import type { RubricConfig } from '../config/rubric.suite.js';
import type { RubricRecord } from '../records/rubric.record.js';
import { evaluateRecord } from './record.evaluator.js';
import { scorerInput } from './scorers.js';
import type { EvaluationRun, RubricScorer } from './run.types.js';

export interface RunProgress {
  readonly done: number;
  readonly total: number;
  /** Place of the record in the data, counts from 0. */
  readonly recordIndex: number;
  readonly run: EvaluationRun;
  /** Taken from an earlier, broken-off session. */
  readonly resumed: boolean;
}

export interface EngineJob {
  readonly config: RubricConfig;
  readonly records: readonly RubricRecord[];
  /** Runs a record. */
  readonly number: number;
  readonly concurrency: number;
  readonly scorer: RubricScorer;
  /** Variable that a classic scorer is told of when the rubric names none. */
  readonly defaultKeyEnv: string | null;
  /** Runs that need not be made again. */
  readonly known: (recordIndex: number, runIndex: number) => EvaluationRun | undefined;
  /** Called once a run, as they end. Awaited before the next begins in its place. */
  readonly onRun: (progress: RunProgress) => void | Promise<void>;
  readonly cancellation: Cancellation;
  readonly clock: Clock;
}

/**
 * Judges every record `number` times, so many at once as allowed. When cancelled, no further run begins and those under
 * way are dropped.
 *
 * @returns the runs of each record, in order; fewer than asked for when cancelled
 */
export async function runEngine(job: EngineJob): Promise<EvaluationRun[][]> {
  const runs = job.records.map((): EvaluationRun[] => []);
  const total = job.records.length * job.number;
  const limit = pLimit(job.concurrency);
  let done = 0;
  const one = async (record: RubricRecord, recordIndex: number, runIndex: number): Promise<void> => {
    if (job.cancellation.reason) return;
    const known = job.known(recordIndex, runIndex);
    const input = scorerInput(job.config, record, job.defaultKeyEnv);
    const run = known ?? (await evaluateRecord(job.scorer, input, record, runIndex, job.clock));
    // What ended because the session ended says nothing of the record.
    if (job.cancellation.reason && run.status === 'error') return;
    runs[recordIndex]?.push(run);
    await job.onRun({ done: ++done, total, recordIndex, run, resumed: known !== undefined });
  };
  await Promise.all(
    job.records.flatMap((record, recordIndex) =>
      Array.from({ length: job.number }, (_, index) => limit(() => one(record, recordIndex, index + 1))),
    ),
  );
  for (const list of runs) list.sort((a, b) => a.run_index - b.run_index);
  return runs;
}
