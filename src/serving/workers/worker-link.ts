import { Worker as Thread } from 'node:worker_threads';
import { describeThrown } from '#domain';
import type { Crew, CrewAnswer, CrewQuestion, CrewQuestions } from '#rollout';
import type { FromWorker, ServingWorker, ToWorker, WorkerAssignment } from './worker-protocol.js';

interface Waiting {
  resolve(answer: unknown): void;
  reject(error: Error): void;
}

/** A worker's line to the process that keeps it, and through it to the other workers. Node ends it with its keeper. */
export class WorkerLink implements Crew {
  /** Resolves when the server is to stop. */
  readonly stopped: Promise<void>;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #answers: CrewQuestions | null = null;
  #stop: () => void = () => {};

  private constructor(readonly assignment: WorkerAssignment) {
    this.stopped = new Promise((resolve) => (this.#stop = resolve));
    process.on('message', (message: ToWorker) => this.#onMessage(message));
  }

  /** Says hello, and waits for the assignment. */
  static async open(): Promise<WorkerLink> {
    const answer = new Promise<ToWorker>((resolve) => process.once('message', resolve));
    // Node cannot end a worker whose event loop is blocked; the thread can.
    new Thread(new URL('./orphan.watch.js', import.meta.url), { workerData: process.ppid }).unref();
    send({ kind: 'hello' });
    const message = await answer;
    if (message.kind !== 'assignment') throw new TypeError(`no assignment but ${message.kind}`);
    return new WorkerLink(message.assignment);
  }

  get member(): string {
    return this.assignment.member;
  }

  get isFirst(): boolean {
    return this.assignment.isFirst;
  }

  serving(worker: ServingWorker): void {
    send({ kind: 'serving', worker });
  }

  async holdDirectory(directory: string): Promise<void> {
    await this.#request((id) => ({ kind: 'hold directory', id, directory }));
  }

  ask<Name extends CrewQuestion>(
    question: Name,
    ...args: Parameters<CrewQuestions[Name]>
  ): Promise<readonly CrewAnswer<Name>[]> {
    const answers = this.#request((id) => ({ kind: 'question', id, question, args }));
    return answers as Promise<readonly CrewAnswer<Name>[]>;
  }

  join(answers: CrewQuestions): void {
    this.#answers = answers;
  }

  #request(message: (id: number) => FromWorker): Promise<unknown> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      send(message(id));
    });
  }

  #onMessage(message: ToWorker): void {
    if (message.kind === 'stop') this.#stop();
    else if (message.kind === 'question') void this.#answer(message.id, message.question, message.args);
    else if (message.kind === 'answer') {
      const waiting = this.#waiting.get(message.id);
      this.#waiting.delete(message.id);
      if (message.error === undefined) waiting?.resolve(message.answer);
      else waiting?.reject(new Error(message.error));
    }
  }

  async #answer(id: number, question: CrewQuestion, args: readonly unknown[]): Promise<void> {
    try {
      if (!this.#answers) throw new Error('the worker is still starting');
      const answer = this.#answers[question] as (...args: readonly unknown[]) => unknown;
      send({ kind: 'answer', id, answer: await answer.apply(this.#answers, [...args]) });
    } catch (error) {
      send({ kind: 'answer', id, error: describeThrown(error) });
    }
  }
}

function send(message: FromWorker): void {
  // With a callback a failure is no event of the process: the keeper is gone, and Node is about to end the worker.
  process.send?.(message, undefined, undefined, () => {});
}
