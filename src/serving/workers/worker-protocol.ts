import type { CrewQuestion } from '#rollout';
import type { ServerFacts } from '../banner.js';

/**
 * Variable that marks a worker. The program may also run in a cluster of somebody else's, where it is none. Not called
 * `OSMOSIS_…`: it is no setting.
 */
export const WORKER_MARK = 'NESTJS_OSMOSIS_WORKER';

/** What one worker of a server is told when it starts. */
export interface WorkerAssignment {
  /** Its name in the store; no other process ever had or will have it. */
  readonly member: string;
  /** From 1. Who takes the place of a worker that has ended takes its number. */
  readonly number: number;
  /** How many workers the server has. */
  readonly count: number;
  /** Whether it takes up what a former server has left. */
  readonly isFirst: boolean;
  readonly port: number;
  /** The API key that was generated for all workers. */
  readonly generatedKey: string | undefined;
  /** Folder of this run's traces. */
  readonly traceDir: string | undefined;
}

/** A worker that has begun to listen. */
export interface ServingWorker {
  readonly facts: ServerFacts;
  /** One of the keys that it accepts; null when it checks none. For the registration with the platform. */
  readonly key: string | null;
}

interface Question {
  readonly kind: 'question';
  readonly id: number;
  readonly question: CrewQuestion;
  readonly args: readonly unknown[];
}

interface Answer {
  readonly kind: 'answer';
  readonly id: number;
  readonly answer?: unknown;
  /** Why there is none. */
  readonly error?: string;
}

export type FromWorker =
  | { readonly kind: 'hello' }
  | { readonly kind: 'hold directory'; readonly id: number; readonly directory: string }
  | { readonly kind: 'serving'; readonly worker: ServingWorker }
  /** To all other workers. */
  | Question
  | Answer;

export type ToWorker =
  | { readonly kind: 'assignment'; readonly assignment: WorkerAssignment }
  | { readonly kind: 'stop' }
  | Question
  /** To a question, with the answers of all; or to `hold directory`. */
  | Answer;
