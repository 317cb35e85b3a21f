import type { ErrorCode } from '#domain';

/** One call of an isolated method, as it is sent to a thread. */
export interface IsolatedTask {
  /** Tells the calls of a process apart. */
  readonly id: number;
  /** How far the call has come, in shared memory: what the thread has reached when it dies is known there, whatever was heard. */
  readonly progress: Int32Array;
  /** `file:` URLs of which one exports the class, the likeliest first. */
  readonly files: readonly string[];
  /** The name that the class has there. */
  readonly exportName: string;
  readonly methodName: string;
  readonly args: readonly unknown[];
  /** Whether the first argument was an instance of its parameter's class. */
  readonly inputIsInstance: boolean;
}

/** Values of `progress`. */
export const BEGUN = 1;
export const ANSWERED = 2;

/** Sent when the class is loaded and the method is about to run: its time limit begins here. */
export interface TaskBegun {
  readonly begun: number;
}

/** Sent beside what the method of the thread gives back: the pool drops that when the thread dies right after. */
export interface TaskAnswered {
  readonly answered: number;
  readonly answer: IsolatedAnswer;
}

export type IsolatedAnswer =
  | { readonly outcome: 'returned'; readonly value: unknown }
  | {
      readonly outcome: 'threw';
      readonly message: string;
      readonly stack: string | undefined;
      /** Of an `OsmosisError`. */
      readonly code: ErrorCode | undefined;
      readonly retryable: boolean | undefined;
    }
  /** The method did not run: its class is not to be had in the thread. */
  | { readonly outcome: 'not loaded'; readonly message: string };

/** The user's code may send messages as well. */
export function isTaskBegun(message: unknown): message is TaskBegun {
  return typeof message === 'object' && message !== null && 'begun' in message && typeof message.begun === 'number';
}

export function isTaskAnswered(message: unknown): message is TaskAnswered {
  return typeof message === 'object' && message !== null && 'answered' in message && 'answer' in message;
}
