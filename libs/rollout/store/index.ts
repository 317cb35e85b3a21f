export * from './key-box.js';
export * from './memory.store.js';
export * from './rollout.store.js';
export { LIST_STATES } from './sqlite/rows.js';
export * from './sqlite/sqlite.store.js';
export * from './store.provider.js';
