import { access } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { LimitFunction } from 'p-limit';
import type { Piscina } from 'piscina';
import { describeThrown, OsmosisError } from '#domain';
import { AGENT_OPTIONS, type AgentModuleOptions } from '../agent.options.js';
import {
  ANSWERED,
  BEGUN,
  isTaskAnswered,
  isTaskBegun,
  type IsolatedAnswer,
  type IsolatedTask,
} from './isolated.protocol.js';
import { ThreadEndedError, threadEnd } from './thread.end.js';

/** The file that a thread runs. A provider, so that the specs of this package can name a compiled copy. */
export const THREAD_FILE = Symbol('THREAD_FILE');

export const threadFile = fileURLToPath(new URL('./isolated.worker.js', import.meta.url));

/** From asking for a thread until the method runs: Node starts and the class with all it imports is loaded. */
const START_LIMIT_MS = 30_000;
/** Threads that have nothing to do for so long are given back. */
const IDLE_MS = 60_000;

/** A call for the pool. */
export interface ThreadCall {
  readonly task: Omit<IsolatedTask, 'id' | 'progress'>;
  /** Milliseconds from the start of the method. */
  readonly limitMs: number;
  /** What ends the call early; its reason is what the call rejects with. */
  readonly signal: AbortSignal;
  timedOut(): Error;
}

/** A call that a thread has, or will get. */
interface OpenCall {
  begin(): void;
  answer(answer: IsolatedAnswer): void;
}

interface OpenPool {
  readonly piscina: Piscina;
  /** Only as many calls as there are threads are handed to the pool, so that none waits for one that was ended. */
  readonly inTurn: LimitFunction;
}

/**
 * The threads that isolated methods run in: one call at a time each. A thread is ended when the time of its call is over,
 * which ends even an endless loop; the next call gets a new one. Nothing of it exists before the first call.
 */
@Injectable()
export class ThreadPool implements OnApplicationShutdown {
  private readonly logger = new Logger('Isolation');
  private pool: Promise<OpenPool> | null = null;
  private readonly calls = new Map<number, OpenCall>();
  private lastId = 0;
  private closed = false;

  constructor(
    @Inject(AGENT_OPTIONS) private readonly options: AgentModuleOptions,
    @Inject(THREAD_FILE) private readonly file: string,
  ) {}

  /**
   * @throws the signal's reason; what `timedOut` gives; ThreadEndedError when the code ended its thread itself; OsmosisError
   * SHUTDOWN when the application stops; DataCloneError for arguments that cannot be sent
   */
  async run(call: ThreadCall): Promise<IsolatedAnswer> {
    const { inTurn, piscina } = await (this.pool ??= this.open());
    return inTurn(async () => {
      try {
        return await this.attempt(piscina, call);
      } catch (error) {
        // A thread may die of what an earlier call left behind, before it takes this one.
        if (!(error instanceof ThreadEndedError) || !error.repeatable || this.closed) throw error;
        return this.attempt(piscina, call);
      }
    });
  }

  async onApplicationShutdown(): Promise<void> {
    this.closed = true;
    const pool = await this.pool?.catch(() => null);
    await pool?.piscina.destroy();
  }

  private async open(): Promise<OpenPool> {
    const { threads, maxHeapMb, execArgv } = this.options.isolation;
    await access(this.file).catch(() => {
      const cure = 'Leave nestjs-osmosis out when you bundle the application';
      throw new ThreadEndedError(`finds no thread to run in: ${this.file} is missing. ${cure}`, false);
    });
    const [{ default: pool }, { default: pLimit }] = await Promise.all([import('piscina'), import('p-limit')]);
    const piscina = new pool.Piscina({
      filename: this.file,
      name: 'runIsolated',
      minThreads: 0,
      maxThreads: threads,
      idleTimeout: IDLE_MS,
      // Waiting on shared memory would stop timers and connections of the user's code between two calls.
      atomics: 'disabled',
      ...(maxHeapMb === undefined ? {} : { resourceLimits: { maxOldGenerationSizeMb: maxHeapMb } }),
      ...(execArgv === undefined ? {} : { execArgv: [...execArgv] }),
    });
    piscina.on('message', (message) => {
      if (isTaskBegun(message)) this.calls.get(message.begun)?.begin();
      else if (isTaskAnswered(message)) this.calls.get(message.answered)?.answer(message.answer);
    });
    piscina.on('error', (error) => {
      this.logger.warn(`An idle thread ended by an error that nobody caught: ${describeThrown(error)}`);
    });
    return { piscina, inTurn: pLimit(threads) };
  }

  private async attempt(piscina: Piscina, { task, limitMs, signal, timedOut }: ThreadCall): Promise<IsolatedAnswer> {
    if (this.closed) throw stopping();
    signal.throwIfAborted();
    const { clock } = this.options;
    const id = ++this.lastId;
    const end = new AbortController();
    const forward = (): void => end.abort(signal.reason);
    signal.addEventListener('abort', forward, { once: true });
    let timer = clock.after(START_LIMIT_MS, () => end.abort(notStarted(task)));
    const begin = (): void => {
      timer.stop();
      timer = clock.after(limitMs, () => end.abort(timedOut()));
    };
    const answered = new Promise<IsolatedAnswer>((answer) => this.calls.set(id, { begin, answer }));
    const progress = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    try {
      return (await piscina.run({ ...task, id, progress }, { signal: end.signal })) as IsolatedAnswer;
    } catch (error) {
      if (end.signal.aborted) throw end.signal.reason;
      if (this.closed) throw stopping();
      const reached = Atomics.load(progress, 0);
      // The thread died of something else, after it had answered.
      if (reached === ANSWERED) return await arrival(answered, end.signal);
      throw threadEnd(error, reached === BEGUN);
    } finally {
      timer.stop();
      this.calls.delete(id);
      signal.removeEventListener('abort', forward);
    }
  }
}

/**
 * What a thread has sent arrives, also after its end, unless the method has closed the thread's port; but it keeps no
 * process alive.
 */
async function arrival<T>(sent: Promise<T>, end: AbortSignal): Promise<T> {
  const alive = setInterval(() => {}, 60_000);
  const cutOff = new Promise<never>((_, reject) => {
    end.addEventListener('abort', () => reject(end.reason as Error), { once: true });
  });
  try {
    return await Promise.race([sent, cutOff]);
  } finally {
    clearInterval(alive);
  }
}

function stopping(): OsmosisError {
  return new OsmosisError('SHUTDOWN', 'The server is stopping, and its threads have ended.');
}

function notStarted({ exportName, methodName }: ThreadCall['task']): ThreadEndedError {
  const what = `${exportName}.${methodName} could not be loaded in a thread within ${START_LIMIT_MS} ms`;
  return new ThreadEndedError(`${what}. Keep isolated methods in files that import little and start nothing`, false);
}
