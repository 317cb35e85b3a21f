import type { Worker } from 'node:cluster';
import type { FromWorker, ServingWorker, ToWorker, WorkerAssignment } from './worker-protocol.js';

/** How a worker has ended. */
export interface WorkerEnd {
  readonly code: number | null;
  readonly signal: string | null;
}

/** A worker as its keeper sees it. */
export class WorkerProcess {
  readonly startedAt = Date.now();
  /** Resolves when it listens; undefined when it ended before. */
  readonly started: Promise<ServingWorker | undefined>;
  readonly ended: Promise<WorkerEnd>;
  isServing = false;

  /** @param after what it waits for before it starts; when that gives nothing, it never does */
  constructor(
    private readonly worker: Worker,
    readonly assignment: WorkerAssignment,
    after: Promise<unknown> = Promise.resolve(true),
    onMessage: (message: FromWorker) => void,
  ) {
    this.ended = new Promise((resolve) => worker.once('exit', (code, signal) => resolve({ code, signal })));
    this.started = new Promise((resolve) => {
      worker.on('message', (message: FromWorker) => {
        if (message.kind === 'hello') void after.then((may) => may && this.send({ kind: 'assignment', assignment }));
        if (message.kind === 'serving') {
          this.isServing = true;
          resolve(message.worker);
        }
        onMessage(message);
      });
      void this.ended.then(() => {
        this.isServing = false;
        resolve(undefined);
      });
    });
    worker.on('error', () => {}); // told by its end
  }

  get pid(): number {
    return this.worker.process.pid ?? 0;
  }

  send(message: ToWorker): void {
    // It may have ended; then nobody waits for the message either.
    this.worker.process.send?.(message, undefined, undefined, () => {});
  }

  /** Lets it drain. One that does not serve yet has nothing to drain. */
  stop(): void {
    if (this.isServing) this.send({ kind: 'stop' });
    else this.kill('SIGTERM');
  }

  kill(signal: NodeJS.Signals): void {
    this.worker.process.kill(signal);
  }
}
