import { setTimeout as pause } from 'node:timers/promises';
import { Figures, rangeOf } from './support/figures.js';
import { ServerUnderTest, takeOtherCpu } from './support/server-under-test.js';
import { BenchTrainer } from './support/trainer.js';
import { ratio } from './support/windows.js';

/**
 * What a call to the model costs the runner of evaluations, tools, rewards and the durable log included, against bare
 * calls of undici's Pool to the same mock model over HTTP. In turns, so that a neighbour's noise hits both; of each
 * `PROCESSES`, because two of the same differ by up to a fifth: V8 compiles them in another order.
 */
const PROCESSES = Number(process.env['PROCESSES'] ?? 2);
const ROUNDS = Number(process.env['ROUNDS'] ?? 5);
/** A window of a second, so that compiling and collecting garbage have their share of it and no more. */
const ROWS = Number(process.env['ROWS'] ?? 12_000);
/** As many as the bare program has lanes. */
const CONCURRENCY = 64;
const GOAL = { better: 'more', must: 0.4, aim: 0.7 } as const;

interface Window {
  readonly perSecond: number;
  /** Microseconds of CPU for one call, all threads. */
  readonly cpu: number;
}

async function measure(program: ServerUnderTest, isDone: (calls: number) => Promise<boolean>): Promise<Window> {
  const count = async (): Promise<number> => (await program.ask<{ calls: number }>('calls')).calls;
  const before = { calls: await count(), cpu: program.cpuSeconds, at: performance.now() };
  await program.ask('start');
  while (!(await isDone((await count()) - before.calls))) await pause(20);
  const calls = (await count()) - before.calls;
  const cpu = program.cpuSeconds - before.cpu;
  return { perSecond: (calls / (performance.now() - before.at)) * 1_000, cpu: (cpu / calls) * 1e6 };
}

async function evaluate(evaluation: ServerUnderTest): Promise<Window> {
  const finished = async (): Promise<number> => (await evaluation.ask<{ finished: number }>('finished')).finished;
  const before = await finished();
  return measure(evaluation, async () => (await finished()) > before);
}

async function call(bare: ServerUnderTest): Promise<Window> {
  const window = await measure(bare, async (calls) => calls >= ROWS * 4);
  await bare.ask('stop');
  await pause(100);
  return window;
}

takeOtherCpu();
const figures = new Figures('eval');
const model = await BenchTrainer.listen();
const options = { modelUrl: `${model.url}/v1`, rows: ROWS, concurrency: CONCURRENCY };
const pairs: { readonly bare: ServerUnderTest; readonly evaluation: ServerUnderTest }[] = [];

try {
  for (let started = 0; started < PROCESSES; started++) {
    const bare = await ServerUnderTest.start('baselines/undici', { trainerUrl: model.url });
    const evaluation = await ServerUnderTest.start('servers/evaluation', options);
    pairs.push({ bare, evaluation });
    await call(bare);
    await evaluate(evaluation);
  }
  const [ours, theirs]: [Window[], Window[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    for (const { bare, evaluation } of pairs) {
      theirs.push(await call(bare));
      ours.push(await evaluate(evaluation));
    }
  }
  const least = (windows: readonly Window[]): number => Math.min(...windows.map(({ cpu }) => cpu));
  const most = (windows: readonly Window[]): number => Math.max(...windows.map(({ perSecond }) => perSecond));
  const cpuOf = (windows: readonly Window[]) => rangeOf(windows.map(({ cpu }) => cpu));
  const speedOf = (windows: readonly Window[]) => rangeOf(windows.map(({ perSecond }) => perSecond));
  figures.add({ name: 'a bare undici call', value: least(theirs), unit: 'µs CPU', ...cpuOf(theirs) });
  figures.add({ name: 'a call of an evaluation', value: least(ours), unit: 'µs CPU', ...cpuOf(ours) });
  figures.add({ name: 'bare undici', value: most(theirs), unit: 'calls/s', ...speedOf(theirs) });
  figures.add({ name: 'evaluation', value: most(ours), unit: 'calls/s', ...speedOf(ours) });
  figures.add({ name: 'calls/s at the same CPU', unit: 'x', goal: GOAL, ...ratio(theirs, ours) });
} finally {
  for (const { bare, evaluation } of pairs) await Promise.all([bare.stop(), evaluation.stop()]);
  model.close();
}
figures.print();
