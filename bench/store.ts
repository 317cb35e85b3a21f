import { Candidates } from './support/candidates.js';
import { Figures, median, rangeOf } from './support/figures.js';
import { takeOtherCpu } from './support/server-under-test.js';
import { interleave, ratio, type Window } from './support/windows.js';

/**
 * What the durable store costs: throughput and CPU of two servers, one with SQLite and one in memory. `CONCURRENCY` is a
 * list, `DATA_DIR` where the disk to be measured is.
 */
const CONCURRENCIES = (process.env['CONCURRENCY'] ?? '64,512').split(',').map(Number);
const THROUGHPUT = { better: 'more', must: 0.85, aim: 0.95 } as const;

takeOtherCpu();
const figures = new Figures('store');
const candidates = new Candidates();
try {
  const pair = [await candidates.osmosis('memory'), await candidates.osmosis('sqlite')];
  for (const [index, concurrency] of CONCURRENCIES.entries()) {
    const [memory = [], sqlite = []] = await interleave(pair, { concurrency, warmUp: index === 0 ? 15_000 : 0 });
    for (const [which, windows] of [memory, sqlite].entries()) {
      const { name } = pair[which]!;
      const add = (what: string, unit: string, figure: (window: Window) => number): void => {
        const all = windows.map(figure);
        figures.add({ name: `${concurrency}: ${name}${what}`, value: median(all), unit, ...rangeOf(all) });
      };
      add('', 'rollouts/s', ({ perSecond }) => perSecond);
      add(', p50', 'ms', ({ p50 }) => p50);
      add(', p99', 'ms', ({ p99 }) => p99);
      add('', 's CPU/1,000', ({ cpu }) => cpu);
    }
    const shares = memory.map((window, round) => sqlite[round]!.perSecond / window.perSecond);
    const throughput = { name: `${concurrency}: throughput of SQLite`, value: median(shares), ...rangeOf(shares) };
    figures.add({ ...throughput, unit: 'x', goal: THROUGHPUT });
    figures.add({ name: `${concurrency}: CPU of SQLite`, unit: 'x', ...ratio(sqlite, memory) });
  }
} finally {
  await candidates.close();
  figures.print();
}
