export { callingFiles } from './calling.files.js';
export { IsolatedMethods, type IsolatedMethod, type IsolatedRun } from './isolated.methods.js';
export type { IsolationOptions } from './isolation.options.js';
export { LagWatchdog, type UserCode } from './lag.watchdog.js';
export { THREAD_FILE } from './thread.pool.js';
