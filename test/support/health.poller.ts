import { Worker } from 'node:worker_threads';

/** Asks on new connections, so that a server which cannot accept is seen too. */
const POLL = `
const { parentPort, workerData } = require('node:worker_threads');
const { get } = require('node:http');
const latencies = [];
let stopped = false;
parentPort.once('message', () => (stopped = true));
function ask() {
  if (stopped) return parentPort.postMessage(latencies);
  const startedAt = performance.now();
  const done = () => {
    latencies.push(performance.now() - startedAt);
    setTimeout(ask, 20);
  };
  get(workerData, { agent: false }, (response) => response.resume().on('end', done)).on('error', done);
}
ask();
`;

/** Measures how long a server takes to answer, from a thread of its own: the test's own work does not count. */
export class HealthPoller {
  private readonly worker: Worker;

  constructor(url: string) {
    this.worker = new Worker(POLL, { eval: true, workerData: url });
  }

  /** Ends it. Gives the time of each answer in milliseconds, the longest first. */
  async stop(): Promise<readonly number[]> {
    const latencies = new Promise<number[]>((resolve) => this.worker.once('message', resolve));
    this.worker.postMessage('stop');
    const measured = await latencies;
    await this.worker.terminate();
    return measured.sort((one, other) => other - one);
  }
}
