import { open, readFile, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { RunLogError } from './log.error.js';

interface LockOwner {
  readonly pid: number;
  readonly host: string;
}

/**
 * Keeps a second process off a result log. The lock names its process, so that the lock of one that was killed does not
 * stand in the way of resuming at once: a time-out, as lock libraries have it, would.
 */
export class LogLock {
  private constructor(private readonly path: string) {}

  /** @throws RunLogError when a process that is alive, or on another machine, has it */
  static async take(logPath: string): Promise<LogLock> {
    const path = `${logPath}.lock`;
    for (let attempt = 0; ; attempt++) {
      try {
        const file = await open(path, 'wx', 0o600);
        await file.writeFile(JSON.stringify({ pid: process.pid, host: hostname() } satisfies LockOwner));
        await file.close();
        return new LogLock(path);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || attempt > 0) throw error;
        await removeIfAbandoned(path, logPath);
      }
    }
  }

  release(): Promise<void> {
    return rm(this.path, { force: true });
  }
}

async function removeIfAbandoned(path: string, logPath: string): Promise<void> {
  const owner = readOwner(await readFile(path, 'utf8').catch(() => ''));
  if (owner && (owner.host !== hostname() || isAlive(owner.pid))) {
    const who = `process ${owner.pid} on ${owner.host}`;
    throw new RunLogError(logPath, `is in use by ${who}. Wait for it, or remove ${path} if it is gone`, { ...owner });
  }
  await rm(path, { force: true });
}

/** A lock that was cut off while it was written has no owner any more. */
function readOwner(text: string): LockOwner | undefined {
  try {
    const { pid, host } = JSON.parse(text) as Partial<LockOwner>;
    return typeof pid === 'number' && typeof host === 'string' ? { pid, host } : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  if (pid === process.pid) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Not ours to signal, but there.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
