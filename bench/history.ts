import { Candidates } from './support/candidates.js';
import { Figures, rangeOf } from './support/figures.js';
import { takeOtherCpu } from './support/server-under-test.js';
import { interleave, ratio } from './support/windows.js';

/**
 * CPU and memory of long conversations: 20 turns of which each adds 8 kB, and 100, against bare node that serialises the
 * whole history for each turn.
 */
const CASES = [
  { turns: 20, concurrency: 64, rollouts: 400, goal: { better: 'less', must: 0.6, aim: 0.35 } },
  { turns: 100, concurrency: 16, rollouts: 32, goal: undefined },
] as const;

takeOtherCpu();
const figures = new Figures('history');
try {
  for (const { turns, concurrency, rollouts, goal } of CASES) {
    const candidates = new Candidates();
    try {
      // max_turns of the init is 10 by default, its max_tokens_total 8192: the mock counts 120 a call.
      const options = {
        turns,
        program: { toolCharacters: 8_000 },
        fields: `"max_turns":${turns},"max_tokens_total":1000000,`,
      };
      const pair = [
        await candidates.start('bare node', 'baselines/node', options),
        await candidates.osmosis('memory', options),
      ];
      const [bare = [], own = []] = await interleave(pair, { concurrency, rollouts, warmUp: rollouts });
      for (const [index, windows] of [bare, own].entries()) {
        const { name, server } = pair[index]!;
        const cpus = windows.map(({ cpu }) => cpu);
        const value = Math.min(...cpus);
        figures.add({ name: `${turns} turns: ${name}`, value, unit: 'ms CPU each', ...rangeOf(cpus) });
        figures.add({ name: `${turns} turns: ${name}, peak memory`, value: server.peakRss / 2 ** 20, unit: 'MB' });
      }
      figures.add({ name: `${turns} turns: of bare node`, unit: 'x', goal, ...ratio(own, bare) });
    } finally {
      await candidates.close();
    }
  }
} finally {
  figures.print();
}
