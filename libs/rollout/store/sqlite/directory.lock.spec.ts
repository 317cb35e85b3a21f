import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { joinDirectory, lockDirectoryWhenFree, type DirectoryLock } from './directory.lock.js';

describe('the lock of a data directory', () => {
  let directory: string;
  let held: DirectoryLock[];

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'lock-'));
    held = [];
  });
  afterEach(() => {
    for (const lock of held) lock.release();
    rmSync(directory, { recursive: true });
  });

  /** Whether somebody gets the directory before others let go of it. */
  async function getsIt(lock: Promise<DirectoryLock>): Promise<boolean> {
    const got = lock.then(() => true);
    return Promise.race([got, new Promise<false>((resolve) => setTimeout(() => resolve(false), 300))]);
  }

  it('one server has it; the next waits until it is free', async () => {
    const first = await lockDirectoryWhenFree(directory);
    const second = lockDirectoryWhenFree(directory);
    expect(await getsIt(second)).toBe(false);
    first.release();
    held.push(await second);
  });

  it('several workers join it', () => {
    held.push(joinDirectory(directory), joinDirectory(directory));
  });

  it('workers that a killed server has left behind keep the next one out until the last has ended', async () => {
    const server = await lockDirectoryWhenFree(directory);
    const workers = [joinDirectory(directory), joinDirectory(directory)];
    server.release();
    const next = lockDirectoryWhenFree(directory);
    workers[0]!.release();
    expect(await getsIt(next)).toBe(false);
    workers[1]!.release();
    held.push(await next);
    // And it has workers of its own.
    held.push(joinDirectory(directory));
  });
});
