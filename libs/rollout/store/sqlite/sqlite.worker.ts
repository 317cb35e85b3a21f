import { parentPort, workerData } from 'node:worker_threads';
import { joinDirectory, lockDirectory } from './directory.lock.js';
import { SqliteJournal } from './journal.js';
import type { Queries, SharedUse } from './journal.language.js';
import { unpackWrites, type PackedWrites } from './packed.writes.js';

/** What the store asks of its thread: a batch of writes, a question, or the end. */
export type StoreMessage =
  | { readonly writes: PackedWrites }
  | { readonly query: keyof Queries; readonly args: readonly unknown[] }
  | { readonly close: true };

/** In the order of the messages; the first one says that the store is open. */
export type StoreReply = { readonly result?: unknown; readonly error?: Error };

export interface ThreadData {
  readonly directory: string;
  readonly file: string;
  /** Set when other workers of the same server write the file, too. */
  readonly shared: SharedUse | undefined;
}

const port = parentPort!;
const { directory, file, shared } = workerData as ThreadData;
const lock = shared ? joinDirectory(directory) : lockDirectory(directory);
const journal = openJournal();
port.postMessage({} satisfies StoreReply);

port.on('message', (message: StoreMessage) => {
  try {
    port.postMessage({ result: answer(message) } satisfies StoreReply);
  } catch (error) {
    port.postMessage({ error: asPlainError(error) } satisfies StoreReply);
  }
});

function openJournal(): SqliteJournal {
  try {
    return new SqliteJournal(file, shared);
  } catch (error) {
    throw new Error(`The rollout store ${file} cannot be opened: ${asPlainError(error).message}`, { cause: error });
  }
}

/** An error of libsql's own class would lose its message on the way to the other thread. */
function asPlainError(error: unknown): Error {
  return new Error(error instanceof Error ? error.message : String(error));
}

function answer(message: StoreMessage): unknown {
  if ('writes' in message) return journal.write(unpackWrites(message.writes));
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
