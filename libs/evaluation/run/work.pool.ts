/** What a worker says when it is done with an item. */
export type PoolSignal = 'continue' | 'stop';

/**
 * Works through items with a fixed number of workers, each taking the next item as soon as it is free: a slow run keeps
 * nobody waiting (weakness H 24). Items are asked for one by one when there is room for them. After `stop`, or after an
 * error, no more are taken, and what is under way ends first.
 *
 * @returns whether it was stopped while items were left
 * @throws the first error of a worker or of the items
 */
export async function runPool<Item>(
  items: AsyncIterator<Item, unknown>,
  concurrency: number,
  work: (item: Item) => Promise<PoolSignal>,
): Promise<{ readonly stoppedEarly: boolean }> {
  let stopped = false;
  let isLeft = false;
  const worker = async (): Promise<void> => {
    while (!stopped) {
      try {
        const next = await items.next();
        if (next.done) return;
        if (stopped) isLeft = true;
        else if ((await work(next.value)) === 'stop') stopped = true;
      } catch (error) {
        stopped = true;
        throw error;
      }
    }
  };
  try {
    const settled = await Promise.allSettled(Array.from({ length: concurrency }, worker));
    const failed = settled.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
    return { stoppedEarly: stopped && (isLeft || !(await items.next()).done) };
  } finally {
    await items.return?.();
  }
}
