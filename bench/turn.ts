import { Candidates } from './support/candidates.js';
import { Figures, median, rangeOf } from './support/figures.js';
import { ServerUnderTest, takeOtherCpu } from './support/server-under-test.js';
import { BenchTrainer } from './support/trainer.js';
import { interleave, ratio, type Window } from './support/windows.js';

/**
 * What one more turn (a chat call and a tool call) costs in CPU, against one bare call of undici's Pool; and how long a
 * single rollout takes from init to completion, against bare node.
 */
const SHORT = 2;
const LONG = 12;
const ROUNDS = Number(process.env['ROUNDS'] ?? 5);
const CALLS = 30_000;
const TURN = { better: 'less', must: 2, aim: 1.3 } as const;
const LATENCY = { better: 'less', must: 1.5, aim: 1.15 } as const;

/** Microseconds of CPU for one call of the undici program. */
async function bareCall(server: ServerUnderTest, calls: number): Promise<number> {
  await server.ask('start');
  const count = async (): Promise<number> => (await server.ask<{ calls: number }>('calls')).calls;
  const before = { calls: await count(), cpu: server.cpuSeconds };
  let made = 0;
  while (made < calls) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    made = (await count()) - before.calls;
  }
  const cpu = server.cpuSeconds - before.cpu;
  await server.ask('stop');
  return (cpu / made) * 1e6;
}

takeOtherCpu();
const figures = new Figures('turn');
const candidates = new Candidates();
const trainer = await BenchTrainer.listen();
const undici = await ServerUnderTest.start('baselines/undici', { trainerUrl: trainer.url });
try {
  const pairs = [
    await candidates.osmosis('memory', { turns: SHORT }),
    await candidates.osmosis('memory', { turns: LONG }),
    await candidates.start('bare node', 'baselines/node', { turns: SHORT }),
    await candidates.start('bare node', 'baselines/node', { turns: LONG }),
  ];
  await interleave(pairs, { concurrency: 64, rounds: 0, warmUp: 6_000 });
  await bareCall(undici, CALLS);
  const calls: number[] = [];
  const windows = pairs.map((): Window[] => []);
  for (let round = 0; round < ROUNDS; round++) {
    calls.push(await bareCall(undici, CALLS));
    const measured = await interleave(pairs, { concurrency: 64, rounds: 1, rollouts: 3_000 });
    measured.forEach(([window], index) => windows[index]!.push(window!));
  }
  const [short = [], long = [], bareShort = [], bareLong = []] = windows;
  const own = turnCost(short, long);
  const bare = turnCost(bareShort, bareLong);
  const call = Math.min(...calls);
  figures.add({ name: 'a bare undici call', value: call, unit: 'µs CPU', ...rangeOf(calls) });
  figures.add({ name: 'a turn of bare node', unit: 'µs CPU', ...bare });
  figures.add({ name: 'a turn', unit: 'µs CPU', ...own });
  figures.add({ name: 'a turn, of a bare call', value: own.value / call, unit: 'x', goal: TURN });

  const [osmosis, , node] = pairs;
  const single = { concurrency: 1, rounds: ROUNDS, rollouts: 1_000, warmUp: 500 };
  const [ownSingle = [], bareSingle = []] = await interleave([osmosis!, node!], single);
  const p50 = ({ p50: ms }: Window): number => ms;
  for (const [name, of] of [
    ['bare node', bareSingle],
    ['osmosis', ownSingle],
  ] as const) {
    const all = of.map(p50);
    figures.add({ name: `a single rollout, ${name}`, value: median(all), unit: 'ms', ...rangeOf(all) });
  }
  figures.add({
    name: 'a single rollout, of bare node',
    unit: 'x',
    goal: LATENCY,
    ...ratio(ownSingle, bareSingle, p50),
  });
} finally {
  await undici.stop();
  trainer.close();
  await candidates.close();
  figures.print();
}

/** Microseconds, from rollouts of few and of many turns. */
function turnCost(short: readonly Window[], long: readonly Window[]): { value: number; min: number; max: number } {
  const cost = (more: number, fewer: number): number => ((more - fewer) / (LONG - SHORT)) * 1e3;
  const rounds = long.map(({ cpu }, round) => cost(cpu, short[round]!.cpu));
  const least = (windows: readonly Window[]): number => Math.min(...windows.map(({ cpu }) => cpu));
  return { value: cost(least(long), least(short)), ...rangeOf(rounds) };
}
