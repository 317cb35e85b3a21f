import { mkdir, open } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import { LinkedList, OsmosisError } from '#domain';
import type { Crew } from '../../crew/crew.js';
import type {
  AcceptedRow,
  AnnouncedRow,
  DeliveryEndState,
  RememberedRow,
  RolloutFilter,
  RolloutStore,
  SealedRow,
  StoredAttempt,
} from '../rollout.store.js';
import type { EarlierRows, Queries, Write } from './journal.language.js';
import { packWrites } from './packed.writes.js';
import type { StoreMessage, StoreReply, ThreadData } from './sqlite.worker.js';

export interface SqliteStoreOptions {
  /** The workers that share the file; none for a server alone. */
  readonly crew?: Crew | undefined;
  /** How long the workers remember finished rollouts, in milliseconds. */
  readonly ttlMs?: number;
  /** The file that writes; the specs of this package name a compiled copy. */
  readonly thread?: URL | string;
}

interface Batch {
  readonly writes: Write[];
  readonly written: Promise<EarlierRows | undefined>;
  resolve(earlier: EarlierRows | undefined): void;
  reject(error: Error): void;
}

type Answer = { resolve(value: unknown): void; reject(error: Error): void };

/**
 * Keeps rollouts in an SQLite file. A thread does the writing; what comes while it writes goes into its next commit, so
 * that a thousand rollouts share one sync of the disk.
 */
export class SqliteRolloutStore implements RolloutStore {
  readonly persistent = true;
  #fault: Error | null = null;
  #worker: Worker | null = null;
  #waiting: Batch | null = null;
  #writing = false;
  /** Ends of rollouts and of announcements that could not be written. Forgotten, they would be told another end after a restart. */
  #owed: Write[] = [];
  /** Who waits for the thread, which answers in order. */
  readonly #answers = new LinkedList<Answer>();

  /** @param directory is made when it is missing, readable by its owner only */
  constructor(
    private readonly directory: string,
    private readonly options: SqliteStoreOptions = {},
  ) {}

  get fault(): Error | null {
    return this.#fault;
  }

  /** @throws OsmosisError STORE_UNAVAILABLE for a folder that another server uses, and a file that is not ours */
  async open(): Promise<void> {
    const file = join(this.directory, 'rollouts.db');
    await mkdir(this.directory, { recursive: true, mode: 0o700 });
    await (await open(file, 'a', 0o600)).close();
    const { crew, ttlMs = 0, thread = new URL('./sqlite.worker.js', import.meta.url) } = this.options;
    await crew?.holdDirectory(resolve(this.directory));
    const shared = crew && { member: crew.member, ttlMs };
    const worker = new Worker(thread, {
      workerData: { directory: this.directory, file, shared } satisfies ThreadData,
    });
    this.#worker = worker;
    worker.unref();
    worker.on('message', (reply: StoreReply) => this.#onReply(reply));
    await new Promise<void>((resolve, reject) => {
      const refuse = (cause: Error): void => reject(new OsmosisError('STORE_UNAVAILABLE', cause.message, { cause }));
      this.#answers.add({ resolve: () => resolve(), reject: refuse });
      worker.on('error', (error) => this.#fail(error));
      worker.on('exit', () => this.#fail(new Error('The thread that writes the store has ended.')));
    });
  }

  async accepted(row: AcceptedRow): Promise<RememberedRow | undefined> {
    const earlier = await this.#write(['accepted', row]);
    return earlier?.get(row.rolloutId);
  }

  async announced(row: AnnouncedRow): Promise<void> {
    await this.#write(['announced', row]);
  }

  async sealed(row: SealedRow): Promise<void> {
    await this.#write(['sealed', row]);
  }

  started(rolloutId: string, at: number): void {
    this.#writeSoon(['started', rolloutId, at]);
  }

  conversed(rolloutId: string, from: number, messages: string): void {
    this.#writeSoon(['conversed', rolloutId, from, messages]);
  }

  announcementEnded(rolloutId: string, state: DeliveryEndState): void {
    this.#writeSoon(['announcementEnded', rolloutId, state]);
  }

  attemptFailed(rolloutId: string, attempt: StoredAttempt): void {
    this.#writeSoon(['attemptFailed', rolloutId, attempt]);
  }

  ended(rolloutId: string, delivery: DeliveryEndState, at: number): void {
    this.#writeSoon(['ended', rolloutId, delivery, at]);
  }

  unfinished = (members?: readonly string[]) => this.#ask('unfinished', members);
  earlier = (rolloutId: string, idempotencyKey: string | null, now: number) =>
    this.#ask('earlier', rolloutId, idempotencyKey, now);
  counts = (endedSince: number) => this.#ask('counts', endedSince);
  remembered = (since: number) => this.#ask('remembered', since);
  conversation = (rolloutId: string) => this.#ask('conversation', rolloutId);
  get = (rolloutId: string) => this.#ask('get', rolloutId);
  list = (filter: RolloutFilter) => this.#ask('list', filter);
  /** What was written before must not be overtaken. */
  revive = async (rolloutId: string) => {
    await this.#flushed();
    return this.#ask('revive', rolloutId);
  };
  prune = (endedBefore: number, keep: number) => this.#ask('prune', endedBefore, keep);

  async close(): Promise<void> {
    const worker = this.#worker;
    if (!worker) return;
    await this.#flushed();
    const owed = this.#owed.pop();
    if (owed) await this.#write(owed).catch(() => {});
    worker.removeAllListeners('exit');
    try {
      await this.#send({ close: true });
    } finally {
      this.#worker = null;
    }
  }

  /** Resolves when every write so far is on its way to the thread, which does everything in order. */
  async #flushed(): Promise<void> {
    while (this.#waiting) await this.#waiting.written.catch(() => {});
  }

  /** Nobody waits for it: a fault shows in `fault`. */
  #writeSoon(write: Write): void {
    this.#write(write).catch(() => {});
  }

  #write(write: Write): Promise<EarlierRows | undefined> {
    if (!this.#waiting) {
      this.#waiting = newBatch();
      // What the same turn of the event loop brings still belongs to this batch.
      if (!this.#writing) setImmediate(() => this.#flush());
    }
    this.#waiting.writes.push(write);
    return this.#waiting.written;
  }

  #flush(): void {
    const batch = this.#waiting;
    if (!batch || this.#writing) return;
    this.#waiting = null;
    this.#writing = true;
    const writes = this.#owed.length > 0 ? this.#owed.concat(batch.writes) : batch.writes;
    this.#owed = [];
    this.#send({ writes: packWrites(writes) })
      .then(
        (earlier) => {
          this.#fault = null;
          batch.resolve(earlier as EarlierRows | undefined);
        },
        (error: Error) => {
          this.#fault = error;
          this.#owed.push(...writes.filter(([kind]) => kind === 'ended' || kind === 'announcementEnded'));
          batch.reject(unavailable(error));
        },
      )
      .finally(() => {
        this.#writing = false;
        this.#flush();
      });
  }

  #ask<Name extends keyof Queries>(
    query: Name,
    ...args: Parameters<Queries[Name]>
  ): Promise<Awaited<ReturnType<Queries[Name]>>> {
    return this.#send({ query, args }) as Promise<Awaited<ReturnType<Queries[Name]>>>;
  }

  #send(message: StoreMessage): Promise<unknown> {
    const worker = this.#worker;
    if (!worker) return Promise.reject(unavailable(this.#fault ?? new Error('the store is not open')));
    return new Promise((resolve, reject) => {
      this.#answers.add({ resolve, reject });
      worker.ref();
      worker.postMessage(message);
    });
  }

  #onReply({ result, error }: StoreReply): void {
    const answer = this.#answers.shift();
    // Only somebody who waits for an answer keeps the process alive.
    if (this.#answers.size === 0) this.#worker?.unref();
    if (error) answer?.reject(error);
    else answer?.resolve(result);
  }

  #fail(error: Error): void {
    this.#fault ??= error;
    this.#worker = null;
    for (let answer = this.#answers.shift(); answer; answer = this.#answers.shift()) answer.reject(error);
  }
}

function newBatch(): Batch {
  let settle!: Pick<Batch, 'resolve' | 'reject'>;
  const written = new Promise<EarlierRows | undefined>((resolve, reject) => (settle = { resolve, reject }));
  // Writers that do not wait must not end the process.
  written.catch(() => {});
  return { writes: [], written, ...settle };
}

function unavailable(cause: Error): OsmosisError {
  return new OsmosisError('STORE_UNAVAILABLE', `The rollout store cannot be written: ${cause.message}`, { cause });
}
