import cluster from 'node:cluster';
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { backoffDelayMs, describeThrown, type BackoffPolicy } from '#domain';
import { lockDirectoryWhenFree, type DirectoryLock } from '#rollout/store/sqlite';
import { serverArguments } from '../node-arguments.js';
import { CrewExchange } from './crew-exchange.js';
import { WorkerProcess, type WorkerEnd } from './worker-process.js';
import { WORKER_MARK, type FromWorker, type ServingWorker, type WorkerAssignment } from './worker-protocol.js';

/** A worker that lived for less, in milliseconds, has not ended by chance. */
const SHORT_LIFE_MS = 10_000;
const PAUSES: BackoffPolicy = { baseDelayMs: 250, maxDelayMs: 30_000 };
/** Before what an ended worker has left is offered again, in milliseconds. */
const OFFER_AGAIN_MS = 1_000;

/** What all workers of a server are told alike. */
export type ServerAssignment = Pick<WorkerAssignment, 'count' | 'port' | 'generatedKey' | 'traceDir'>;

/**
 * Keeps the workers of one server: starts them, puts another in the place of each that ends, and sees to it that its
 * rollouts go on. Runs no agent and opens no store, so that what ends a worker does not end it.
 */
export class WorkerKeeper {
  private readonly logger = new Logger('Workers');
  readonly #exchange = new CrewExchange();
  readonly #run = randomBytes(4).toString('hex');
  readonly #workers = new Map<number, WorkerProcess>();
  readonly #locks = new Map<string, Promise<DirectoryLock>>();
  /** Names of workers that have ended, whose rollouts nobody has taken up yet. */
  readonly #left = new Set<string>();
  /** Short lives in a row, by number. */
  readonly #shortLives = new Map<number, number>();
  #started = 0;
  #stopping = false;
  #port: number;
  /** Where the first one has begun to listen; 0 until then. */
  #servedPort = 0;

  constructor(private readonly server: ServerAssignment) {
    this.#port = server.port;
    const execArgv = serverArguments(process.execArgv, process.env['NODE_OPTIONS']);
    cluster.setupPrimary({ serialization: 'advanced', execArgv });
    // Connections go to the workers in turn, and the port closes with this process.
    cluster.schedulingPolicy = cluster.SCHED_RR;
  }

  /** Number and process of each worker, in order. */
  get workers(): readonly { readonly number: number; readonly pid: number }[] {
    return [...this.#workers.values()]
      .map(({ assignment: { number }, pid }) => ({ number, pid }))
      .sort((a, b) => a.number - b.number);
  }

  /** The first one alone takes up what a former server has left. Gives the exit code of a worker that cannot start. */
  async start(): Promise<ServingWorker | number> {
    const first = this.#fork(1);
    // They start at once, but do nothing before the first one serves.
    const others = Array.from({ length: this.server.count - 1 }, (_, index) => this.#fork(index + 2, first.started));
    const serving = await first.started;
    if (!serving) return exitCode(await first.ended);
    for (const other of others) if (!(await other.started)) return exitCode(await other.ended);
    for (const worker of [first, ...others]) void this.#replaceAfterEnd(worker);
    this.#servedPort = serving.facts.port;
    return serving;
  }

  /** Lets all workers drain. Resolves when the last one has ended. */
  async stop(): Promise<void> {
    this.#stopping = true;
    const workers = [...this.#workers.values()];
    for (const worker of workers) worker.stop();
    await Promise.all(workers.map(({ ended }) => ended));
    for (const lock of this.#locks.values()) (await lock).release();
  }

  kill(): void {
    this.#stopping = true;
    for (const worker of this.#workers.values()) worker.kill('SIGKILL');
  }

  #fork(number: number, after?: Promise<unknown>): WorkerProcess {
    // Workers share a port that the system has chosen (0) while one of them listens; the first one after all have ended asks
    // for the same again.
    if (this.#workers.size === 0) this.#port = this.#servedPort || this.#port;
    const member = `${this.#run}-${++this.#started}`;
    const isFirst = this.#started === 1;
    const assignment = { ...this.server, port: this.#port, member, number, isFirst };
    const process = cluster.fork({ [WORKER_MARK]: '1' });
    const worker = new WorkerProcess(process, assignment, after, (message) => void this.#onMessage(message, worker));
    this.#workers.set(number, worker);
    void worker.ended.then(() => this.#workers.delete(number));
    return worker;
  }

  async #replaceAfterEnd(worker: WorkerProcess): Promise<void> {
    const end = await worker.ended;
    if (this.#stopping) return;
    const { number, member } = worker.assignment;
    const shortLives = Date.now() - worker.startedAt < SHORT_LIFE_MS ? (this.#shortLives.get(number) ?? 0) + 1 : 0;
    this.#shortLives.set(number, shortLives);
    this.logger.error(
      `worker ${number} (pid ${worker.pid}) has ended (${end.signal ?? `exit code ${end.code}`}); another takes its place`,
    );
    this.#left.add(member);
    void this.#offerWhatIsLeft();
    if (shortLives > 0) await pause(backoffDelayMs(PAUSES, shortLives));
    if (this.#stopping) return;
    const next = this.#fork(number);
    void this.#replaceAfterEnd(next);
    if (!(await next.started)) return;
    this.logger.log(`worker ${number} (pid ${next.pid}) serves`);
    void this.#offerWhatIsLeft();
  }

  /** Any worker will do, and to offer something twice does no harm: the store gives each rollout to one. */
  async #offerWhatIsLeft(): Promise<void> {
    while (this.#left.size > 0 && !this.#stopping) {
      const heirs = [...this.#workers.values()].filter(({ isServing }) => isServing);
      const heir = heirs[Math.floor(Math.random() * heirs.length)];
      // The next one that serves will be asked.
      if (!heir) return;
      const members = [...this.#left];
      if (await this.#exchange.ask(heir, 'takeUp', [members])) for (const member of members) this.#left.delete(member);
      else await pause(OFFER_AGAIN_MS);
    }
  }

  async #onMessage(message: FromWorker, from: WorkerProcess): Promise<void> {
    if (message.kind === 'answer') this.#exchange.answered(message);
    else if (message.kind === 'question') {
      const others = [...this.#workers.values()].filter((worker) => worker !== from && worker.isServing);
      await this.#exchange.pass(message, from, others);
    } else if (message.kind === 'hold directory') {
      const { id, directory } = message;
      try {
        await this.#hold(directory);
        from.send({ kind: 'answer', id });
      } catch (error) {
        from.send({ kind: 'answer', id, error: describeThrown(error) });
      }
    }
  }

  #hold(directory: string): Promise<DirectoryLock> {
    let lock = this.#locks.get(directory);
    if (!lock) this.#locks.set(directory, (lock = lockDirectoryWhenFree(directory)));
    return lock;
  }
}

function exitCode({ code }: WorkerEnd): number {
  return code || 1;
}
