import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { CompiledPackage } from '../../../test/support/compiled.package.js';
import { collect, jsonl, row } from '../testing/dataset-files.js';
import { finalRuns, readLog } from './log/log.reader.js';
import { keyOf } from './run.record.js';

/** 500 runs, sixteen at once, in a process of its own; each asks a scorer that writes down whom it has scored. */
const PROGRAM = `
import 'reflect-metadata';
import { appendFileSync } from 'node:fs';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AgentModule, Agent } from './dist/libs/agent/index.js';
import { RewardModule } from './dist/libs/reward/index.js';
import { RolloutModule } from './dist/libs/rollout/index.js';
import { EvalFunction, EvalRunner, EvaluationModule, ScriptedEvaluationModel } from './dist/libs/evaluation/index.js';

class Talker {}
Agent({ name: 'talker', tools: [] })(Talker);
class AppModule {}
Module({
  imports: [AgentModule.forRoot({}), RewardModule.forRoot({}), RolloutModule.forRoot({}), EvaluationModule],
  providers: [Talker],
})(AppModule);

const app = await NestFactory.createApplicationContext(AppModule, { logger: false });
let answers = Number(process.env.ANSWERS ?? Infinity);
const model = new ScriptedEvaluationModel('scripted:slow', async () => {
  if (answers-- <= 0) await new Promise(() => setInterval(() => {}, 1e6));
  await new Promise((resolve) => setTimeout(resolve, 5 + Math.random() * 30));
  return 'x'.repeat(2000);
});
const result = await app.get(EvalRunner).run({
  dataset: { path: 'rows.jsonl' },
  model,
  runsPerRow: 5,
  concurrency: 16,
  output: 'out/report.json',
  mode: 'resume',
  evalFunctions: [EvalFunction.of('length', (solutionStr) => solutionStr.length)],
  onProgress: ({ run }) => appendFileSync('counted.txt', run.rollout_id + '\\n'),
});
await app.close();
console.log(result.report.primary.runs);
`;

describe('kill -9', () => {
  let installed: CompiledPackage;

  beforeAll(async () => {
    installed = await CompiledPackage.create();
    await installed.write('program.mjs', PROGRAM);
    await installed.write('rows.jsonl', jsonl(...Array.from({ length: 100 }, (_, index) => row(`q${index}`))));
  }, 120_000);
  afterAll(() => installed.remove());

  const start = (env: Readonly<Record<string, string>> = {}): ChildProcess =>
    spawn(process.execPath, ['program.mjs'], {
      cwd: installed.folder,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...env },
    });
  const counted = (): string[] => {
    try {
      return readFileSync(installed.path('counted.txt'), 'utf8').split('\n').filter(Boolean);
    } catch {
      return [];
    }
  };

  async function killAfter(runs: number): Promise<void> {
    // With a model that falls silent a little later, the program cannot come to its end before this one looks.
    const child = start({ ANSWERS: String(runs - counted().length + 50) });
    while (counted().length < runs) {
      if (child.exitCode !== null)
        throw new Error(`ended by itself (${child.exitCode}) after ${counted().length} runs`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  it('three times in the middle of 500 runs, then resumed: 500 distinct runs, none scored twice', async () => {
    for (const runs of [60, 200, 350]) await killAfter(runs);
    const child = start();
    const output: Buffer[] = [];
    child.stdout?.on('data', (chunk: Buffer) => output.push(chunk));
    const [code] = (await once(child, 'close')) as [number];
    expect(code).toBe(0);
    expect(Buffer.concat(output).toString().trim()).toBe('500');

    const log = installed.path('out/report.runs.jsonl');
    const kept = (await collect(readLog(log))).filter(({ line }) => line.type === 'run');
    expect(kept).toHaveLength(500);
    expect(new Set((await collect(finalRuns(log))).map(keyOf)).size).toBe(500);
    // Whatever counted before a kill was on the disk, and so did not count again.
    expect(new Set(counted()).size).toBe(counted().length);
    const report = JSON.parse(readFileSync(installed.path('out/report.json'), 'utf8'));
    expect(report.summary).toMatchObject({ total_runs: 500, total_rows: 100, stopped_early: false });
  }, 120_000);
});
