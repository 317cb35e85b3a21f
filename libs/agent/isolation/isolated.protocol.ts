import type { ErrorCode } from '#domain';

/** One call of an isolated method, as it is sent to a thread. */
export interface IsolatedTask {
  /** Tells the calls of a process apart. */
  readonly id: number;
  /** `file:` URLs of which one exports the class, the likeliest first. */
  readonly files: readonly string[];
  /** The name that the class has there. */
  readonly exportName: string;
  readonly methodName: string;
  readonly args: readonly unknown[];
  /** Whether the first argument was an instance of its parameter's class. */
  readonly inputIsInstance: boolean;
}

/** Sent when the class is loaded and the method is about to run: its time limit begins here. */
export interface TaskBegun {
  readonly begun: number;
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

export function isTaskBegun(message: unknown): message is TaskBegun {
  return typeof message === 'object' && message !== null && 'begun' in message && typeof message.begun === 'number';
}
