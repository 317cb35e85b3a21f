import { setTimeout as pause } from 'node:timers/promises';
import { Figures, rangeOf } from './support/figures.js';
import { ServerUnderTest, takeOtherCpu } from './support/server-under-test.js';
import { BenchTrainer } from './support/trainer.js';

/**
 * What a call to the model costs the runner of evaluations, tools, rewards and the durable log included, against bare
 * calls of undici's Pool to the same mock model over HTTP. In turns, so that a neighbour's noise hits both.
 */
const ROUNDS = Number(process.env['ROUNDS'] ?? 5);
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

takeOtherCpu();
const figures = new Figures('eval');
const model = await BenchTrainer.listen();
const bare = await ServerUnderTest.start('baselines/undici', { trainerUrl: model.url });
const options = { modelUrl: `${model.url}/v1`, rows: ROWS, concurrency: CONCURRENCY };
const evaluation = await ServerUnderTest.start('servers/evaluation', options);

let evaluations = 0;
const evaluate = (): Promise<Window> => {
  const wanted = ++evaluations;
  return measure(evaluation, async () => (await evaluation.ask<{ finished: number }>('finished')).finished >= wanted);
};
const call = async (): Promise<Window> => {
  const window = await measure(bare, async (calls) => calls >= ROWS * 4);
  await bare.ask('stop');
  await pause(100);
  return window;
};

try {
  await evaluate();
  await call();
  const [ours, theirs]: [Window[], Window[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    theirs.push(await call());
    ours.push(await evaluate());
  }
  const least = (windows: readonly Window[]): number => Math.min(...windows.map(({ cpu }) => cpu));
  const most = (windows: readonly Window[]): number => Math.max(...windows.map(({ perSecond }) => perSecond));
  const cpuOf = (windows: readonly Window[]) => rangeOf(windows.map(({ cpu }) => cpu));
  const speedOf = (windows: readonly Window[]) => rangeOf(windows.map(({ perSecond }) => perSecond));
  figures.add({ name: 'a bare undici call', value: least(theirs), unit: 'µs CPU', ...cpuOf(theirs) });
  figures.add({ name: 'a call of an evaluation', value: least(ours), unit: 'µs CPU', ...cpuOf(ours) });
  figures.add({ name: 'bare undici', value: most(theirs), unit: 'calls/s', ...speedOf(theirs) });
  figures.add({ name: 'evaluation', value: most(ours), unit: 'calls/s', ...speedOf(ours) });
  const rounds = ours.map(({ cpu }, round) => theirs[round]!.cpu / cpu);
  const value = least(theirs) / least(ours);
  figures.add({ name: 'calls/s at the same CPU', value, unit: 'x', ...rangeOf(rounds), goal: GOAL });
} finally {
  await evaluation.stop();
  await bare.stop();
  model.close();
}
figures.print();
