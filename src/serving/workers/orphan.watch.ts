import { workerData } from 'node:worker_threads';

/** A thread of a worker: ends the process when its keeper is gone, also while code of an agent blocks its event loop. */
const LOOK_MS = 500;

setInterval(() => {
  if (process.ppid !== workerData) process.kill(process.pid, 'SIGKILL');
}, LOOK_MS);
