/** The part of the room's trajectories that needs no Nest: for quick commands. */
export * from './trajectory.files.js';
