import { parentPort, workerData } from 'node:worker_threads';
import { lockDirectory } from './directory.lock.js';
import { SqliteJournal, type Queries, type Write } from './journal.js';

/** What the store asks of its thread: a batch of writes, a question, or the end. */
export type StoreMessage =
  | { readonly id: number; readonly writes: readonly Write[] }
  | { readonly id: number; readonly query: keyof Queries; readonly args: readonly unknown[] }
  | { readonly id: number; readonly close: true };

export type StoreReply = { readonly id: number; readonly result?: unknown; readonly error?: Error };

const port = parentPort!;
const { directory, file } = workerData as { readonly directory: string; readonly file: string };
const lock = lockDirectory(directory);
const journal = new SqliteJournal(file);
port.postMessage({ id: 0 } satisfies StoreReply);

port.on('message', (message: StoreMessage) => {
  const { id } = message;
  try {
    port.postMessage({ id, result: answer(message) } satisfies StoreReply);
  } catch (error) {
    port.postMessage({ id, error: error as Error } satisfies StoreReply);
  }
});

function answer(message: StoreMessage): unknown {
  if ('writes' in message) return journal.write(message.writes);
  if ('query' in message) {
    const query = journal[message.query] as (...args: readonly unknown[]) => unknown;
    return query.apply(journal, [...message.args]);
  }
  journal.close();
  lock.release();
  // The last reply is still delivered: a port closes after its queue is empty.
  setImmediate(() => port.close());
  return undefined;
}
