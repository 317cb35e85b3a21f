import { availableParallelism } from 'node:os';

/** How isolated methods run, and when blocking code is reported. */
export interface IsolationOptions {
  /**
   * Threads at most; more calls wait. Default: one less than the processor has cores, at least 1. With 0 nothing is
   * isolated: the methods run in place, as in tests of the class itself.
   */
  readonly threads: number;
  /** Megabytes of heap that one thread may use. Undefined: what Node allows. */
  readonly maxHeapMb: number | undefined;
  /** Flags of Node for the threads, such as `--import` of a TypeScript loader. Undefined: those of the process. */
  readonly execArgv: readonly string[] | undefined;
  /** Milliseconds that the event loop may be blocked before the code that did it is named in the log. Default 200. */
  readonly lagWarnMs: number;
}

export function isolationDefaults(): IsolationOptions {
  return {
    threads: Math.max(1, availableParallelism() - 1),
    maxHeapMb: undefined,
    execArgv: undefined,
    lagWarnMs: 200,
  };
}
