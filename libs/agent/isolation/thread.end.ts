import { describeThrown } from '#domain';

/** A thread ended before its call did, or could not begin it. */
export class ThreadEndedError extends Error {
  override readonly name = 'ThreadEndedError';

  constructor(
    message: string,
    /** Whether the method has not run, so that another thread may take the call. */
    readonly repeatable: boolean,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Arguments that hold a function or the like. */
export function isUnsendable(error: unknown): boolean {
  return isRecord(error) && error['name'] === 'DataCloneError';
}

/** What the pool's error says of the thread; what says nothing of it (arguments that cannot be sent) stays as it is. */
export function threadEnd(error: unknown, hadBegun: boolean): unknown {
  if (isUnsendable(error)) return error;
  const text = describeThrown(error);
  const exit = /^worker exited with code: (-?\d+)/.exec(text);
  if (exit) return new ThreadEndedError(`ended its thread with process.exit (code ${exit[1]})`, !hadBegun);
  if (isRecord(error) && error['code'] === 'ERR_WORKER_OUT_OF_MEMORY') {
    return new ThreadEndedError('ran out of memory, which ended its thread (isolation.maxHeapMb)', !hadBegun);
  }
  const message = `ended its thread by an error that nobody caught: ${text}`;
  return new ThreadEndedError(message, !hadBegun, { cause: error });
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
