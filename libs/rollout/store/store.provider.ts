import type { RolloutModuleOptions } from '../rollout.options.js';
import { MemoryRolloutStore } from './memory.store.js';
import type { RolloutStore } from './rollout.store.js';
import { SqliteRolloutStore } from './sqlite/sqlite.store.js';

export const ROLLOUT_STORE = Symbol('ROLLOUT_STORE');

export function createStore({ store, dataDir }: RolloutModuleOptions): RolloutStore {
  if (typeof store === 'object') return store;
  return store === 'sqlite' ? new SqliteRolloutStore(dataDir) : new MemoryRolloutStore();
}
