import type { CrewQuestion } from '#rollout';
import type { WorkerProcess } from './worker-process.js';
import type { FromWorker } from './worker-protocol.js';

/** How long a worker is waited for: one whose event loop is blocked must not hold up the others. */
const PATIENCE_MS = 3_000;
/** The same for how busy it is: `/health` asks that, and load balancers do not wait long. */
const LOAD_PATIENCE_MS = 1_000;

type Message<Kind extends FromWorker['kind']> = Extract<FromWorker, { kind: Kind }>;

/** Carries questions to workers, and their answers back. */
export class CrewExchange {
  readonly #waiting = new Map<number, (answer: { readonly value: unknown } | undefined) => void>();
  #lastId = 0;

  /** Asks several, and answers the one that asked with the answers of those that gave one. */
  async pass({ id, question, args }: Message<'question'>, from: WorkerProcess, to: readonly WorkerProcess[]) {
    const answers = await Promise.all(to.map((worker) => this.ask(worker, question, args)));
    from.send({ kind: 'answer', id, answer: answers.flatMap((answer) => (answer ? [answer.value] : [])) });
  }

  /** Undefined when the worker fails, ends, or does not answer in time. */
  ask(
    worker: WorkerProcess,
    question: CrewQuestion,
    args: readonly unknown[],
  ): Promise<{ value: unknown } | undefined> {
    const id = ++this.#lastId;
    return new Promise((resolve) => {
      const settle = (answer: { readonly value: unknown } | undefined): void => {
        clearTimeout(timer);
        this.#waiting.delete(id);
        resolve(answer);
      };
      const patienceMs = question === 'load' ? LOAD_PATIENCE_MS : PATIENCE_MS;
      const timer = setTimeout(() => settle(undefined), patienceMs);
      this.#waiting.set(id, settle);
      void worker.ended.then(() => settle(undefined));
      worker.send({ kind: 'question', id, question, args });
    });
  }

  answered({ id, answer, error }: Message<'answer'>): void {
    this.#waiting.get(id)?.(error === undefined ? { value: answer } : undefined);
  }
}
