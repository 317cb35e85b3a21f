import type { LockOptions } from 'proper-lockfile';
import { CredentialsUnavailableError } from '../auth.error.js';
import { systemCode } from './private-file.js';

/** A holder that has not refreshed its lock for so long is dead. */
const STALE_MS = 10_000;

const WAITING: LockOptions['retries'] = {
  retries: 1_000,
  minTimeout: 10,
  maxTimeout: 200,
  factor: 1.3,
  randomize: true,
  maxRetryTime: 30_000,
};

/**
 * Runs the action while no other process that uses this function holds the file's lock (case CL-11). The lock is the
 * directory `<path>.lock`; one left by a killed process is taken over after ten seconds.
 *
 * @throws CredentialsUnavailableError when the lock was not to be had within 30 s, or was lost meanwhile
 */
export async function withFileLock<Result>(
  path: string,
  action: (assertHeld: () => void) => Promise<Result>,
): Promise<Result> {
  // Loaded when first needed: it installs exit handlers, which a server that never writes credentials can do without.
  const { lock } = await import('proper-lockfile');
  let lost = false;
  const release = await lock(path, {
    realpath: false,
    stale: STALE_MS,
    retries: WAITING,
    onCompromised: () => {
      lost = true;
    },
  }).catch((error: unknown) => {
    if (systemCode(error) !== 'ELOCKED') throw error;
    throw new CredentialsUnavailableError(
      `Another program holds the lock of ${path} for more than 30 seconds. ` +
        `Wait for it to end; if none is running, remove ${path}.lock.`,
      { cause: error, retryable: true },
    );
  });
  try {
    return await action(() => {
      if (!lost) return;
      throw new CredentialsUnavailableError(
        `The lock of ${path} was lost while it was being changed (was the machine asleep?). Nothing was written; try again.`,
        { retryable: true },
      );
    });
  } finally {
    // A lost lock cannot be released; there is nothing left to do about it.
    await release().catch(() => {});
  }
}
