import type { Cancellation } from '#domain';
import { DatasetError, type Dataset, type DatasetRow } from '../dataset/index.js';
import type { EvaluationModel } from './models/evaluation.model.js';
import type { ExecutedRun, RunExecutor, RunItem } from './run.executor.js';
import type { ModelTag, RunKey } from './run.record.js';
import { runPool } from './work.pool.js';

export interface TaggedModel {
  readonly tag: ModelTag;
  readonly model: EvaluationModel;
}

export interface BatchRequest {
  readonly dataset: Dataset;
  readonly models: readonly TaggedModel[];
  readonly runsPerRow: number;
  readonly concurrency: number;
  readonly cancellation: Cancellation;
  /** Runs that are not to be made. */
  readonly skip?: (key: RunKey) => boolean;
  readonly onRow?: (row: DatasetRow) => void;
  /** The run counts when this resolves. */
  readonly onRun: (run: ExecutedRun, row: DatasetRow) => Promise<void> | void;
}

/**
 * Makes all runs, in the order row → run → model (spec F.8). A fault that every further call would meet ends it; what is
 * under way is finished and kept. A cancellation ends it as well, and gives up what is under way.
 *
 * @returns why it was stopped while runs were left; null when none were
 * @throws DatasetError, and whatever `onRun` throws
 */
export async function runBatch(executor: RunExecutor, request: BatchRequest): Promise<string | null> {
  let reason: string | null = null;
  try {
    const { stoppedEarly } = await runPool(itemsOf(request), request.concurrency, async (item) => {
      const run = await executor.execute(item, request.cancellation);
      await request.onRun(run, item.row);
      if (!run.systemic) return 'continue';
      reason ??= run.systemic.message;
      return 'stop';
    });
    return stoppedEarly ? reason : null;
  } catch (error) {
    if (request.cancellation.reason === null || error !== request.cancellation.reason) throw error;
    return request.cancellation.reason.message;
  }
}

async function* itemsOf({ dataset, models, runsPerRow, skip, onRow }: BatchRequest): AsyncGenerator<RunItem> {
  for await (const row of dataset.rows()) {
    onRow?.(row);
    for (let runIndex = 0; runIndex < runsPerRow; runIndex++) {
      for (const { tag, model } of models) {
        if (!skip?.({ row_index: row.index, run_index: runIndex, model_tag: tag })) yield { row, runIndex, tag, model };
      }
    }
  }
}

/**
 * Reads all rows once, so that a broken one is found before anything is paid for.
 *
 * @throws DatasetError for the first broken row, or when there are none
 */
export async function countRows(dataset: Dataset): Promise<number> {
  let rows = 0;
  for await (const _row of dataset.rows()) rows++;
  if (rows > 0) return rows;
  const { offset, limit } = dataset.spec;
  const window = offset === undefined && limit === undefined ? '' : ' in the window of offset and limit';
  throw new DatasetError(dataset.path, { kind: 'file', message: `there are no rows${window}` });
}
