import type { RolloutModuleOptions } from '../rollout.options.js';
import { MemoryRolloutStore } from './memory.store.js';
import type { RolloutStore } from './rollout.store.js';
import { SqliteRolloutStore } from './sqlite/sqlite.store.js';

export const ROLLOUT_STORE = Symbol('ROLLOUT_STORE');

export function createStore({ store, dataDir, crew, recordTtlMs }: RolloutModuleOptions): RolloutStore {
  if (typeof store === 'object') return store;
  if (store === 'memory') return new MemoryRolloutStore();
  return new SqliteRolloutStore(dataDir, { crew, ttlMs: recordTtlMs });
}
