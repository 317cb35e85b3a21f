import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import type { ChildProcess } from 'node:child_process';
import { stop } from './child.js';
import { renderReport, totalsOf } from './report.js';
import { listeningUrl, spawnServer } from './server.process.js';
import { forkTrainer, runTrainer, type TrainingRun } from './trainer.process.js';

/** By convention 128 and the number of the signal. */
const INTERRUPTED = { SIGINT: 130, SIGTERM: 143 } as const;

const { values: options } = parseArgs({ options: { json: { type: 'boolean', default: false } } });
const children: ChildProcess[] = [];
const stopAll = (): Promise<unknown> => Promise.all(children.map(stop));

/** The server and the trainer are processes of their own: what passes between them is HTTP and nothing else. */
async function demonstrate(): Promise<TrainingRun> {
  const apiKey = randomBytes(16).toString('hex');
  const server = spawnServer(apiKey);
  children.push(server);
  const serverUrl = await listeningUrl(server);
  if (!options.json) process.stdout.write(`Calculator agent at ${serverUrl}, driven by a mock trainer.\n\n`);
  const trainer = forkTrainer();
  children.push(trainer);
  return runTrainer(trainer, { serverUrl, apiKey });
}

function print(run: TrainingRun): void {
  const colours = process.stdout.isTTY && !process.env['NO_COLOR'];
  const text = options.json
    ? JSON.stringify({ totals: totalsOf(run), rollouts: run.rows }, null, 2)
    : renderReport(run, colours);
  process.stdout.write(`${text}\n`);
}

let interrupted = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    interrupted = true;
    process.exitCode = INTERRUPTED[signal];
    void stopAll();
  });
}

try {
  const run = await demonstrate();
  print(run);
  if (totalsOf(run).faults > 0) process.exitCode = 1;
} catch (error) {
  // After Ctrl-C the processes end as they were told to: nothing to report.
  if (!interrupted) {
    process.stderr.write(`The demo failed. ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
} finally {
  await stopAll();
}
