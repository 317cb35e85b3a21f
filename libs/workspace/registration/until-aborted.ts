import { sleep, systemClock } from '#domain';

/** Waits, but no longer than until the signal; never rejects. */
export async function untilAborted(delayMs: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await sleep(systemClock, delayMs, {
    onCancel(listener) {
      const onAbort = (): void => listener(new Error('aborted'));
      signal.addEventListener('abort', onAbort, { once: true });
      return { leave: () => signal.removeEventListener('abort', onAbort) };
    },
  }).catch(() => {});
}
