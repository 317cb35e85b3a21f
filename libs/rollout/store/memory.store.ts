import type { RolloutStore } from './rollout.store.js';

const WRITTEN = Promise.resolve();
const UNKNOWN = Promise.resolve(undefined);
const NOTHING: Promise<readonly never[]> = Promise.resolve([]);

/** Keeps nothing beyond what the engine itself remembers: for tests, and for servers that may forget. */
export class MemoryRolloutStore implements RolloutStore {
  readonly persistent = false;
  readonly fault = null;

  open = (): Promise<void> => WRITTEN;
  close = (): Promise<void> => WRITTEN;
  prune = (): Promise<void> => WRITTEN;

  unfinished = (): Promise<readonly never[]> => NOTHING;
  remembered = (): Promise<readonly never[]> => NOTHING;
  conversation = (): Promise<readonly never[]> => NOTHING;
  list = (): Promise<readonly never[]> => NOTHING;
  get = (): Promise<undefined> => UNKNOWN;
  revive = (): Promise<undefined> => UNKNOWN;
  earlier = (): Promise<undefined> => UNKNOWN;
  counts = (): Promise<undefined> => UNKNOWN;

  accepted = (): Promise<undefined> => UNKNOWN;
  announced = (): Promise<void> => WRITTEN;
  sealed = (): Promise<void> => WRITTEN;
  started: RolloutStore['started'] = () => {};
  conversed: RolloutStore['conversed'] = () => {};
  announcementEnded: RolloutStore['announcementEnded'] = () => {};
  attemptFailed: RolloutStore['attemptFailed'] = () => {};
  ended: RolloutStore['ended'] = () => {};
}
