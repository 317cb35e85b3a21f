import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describeEnd, keepOutput } from './child.js';
import type { DemoRow, TrainerMessage, TrainerOrder } from './demo.protocol.js';

const TRAINER = fileURLToPath(new URL('./trainer.js', import.meta.url));

export interface TrainingRun {
  readonly rows: readonly DemoRow[];
  readonly durationMs: number;
}

export function forkTrainer(): ChildProcess {
  return fork(TRAINER, { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
}

/** @throws Error with the end of the trainer's output when it ends before its work */
export function runTrainer(trainer: ChildProcess, order: TrainerOrder): Promise<TrainingRun> {
  const output = keepOutput(trainer);
  const rows: DemoRow[] = [];
  return new Promise((resolve, reject) => {
    trainer.on('message', (message: TrainerMessage) => {
      if (message.event === 'rollout') rows.push(message.row);
      else resolve({ rows, durationMs: message.durationMs });
    });
    trainer.once('error', reject);
    trainer.once('exit', (code, signal) => {
      reject(new Error(`The trainer ${describeEnd(code, signal)} before its work was done.\n${output()}`));
    });
    trainer.send(order);
  });
}
