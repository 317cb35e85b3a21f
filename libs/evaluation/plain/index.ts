/** The part of the room that needs no Nest: datasets, and what is done with results that are on disk. */
export * from '../dataset/index.js';
export * from '../report/index.js';
export type { LogMode } from '../run/log/run.log.js';
export { logNamedBy, writeAtomically } from '../run/output.files.js';
export { parseGate, type Gate } from '../statistics/index.js';
