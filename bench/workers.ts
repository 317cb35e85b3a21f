import { Candidates } from './support/candidates.js';
import { Figures, median, rangeOf } from './support/figures.js';
import { ServedProcesses } from './support/served-processes.js';
import { interleave, ratio, type Window } from './support/windows.js';

/**
 * `osmosis serve` with one process and with several workers, both with SQLite: throughput, latency, and CPU of all
 * processes for 1,000 rollouts. On a machine with two CPUs the load takes a good part of one, so the CPU tells more than
 * the throughput. `WORKERS` and `CONCURRENCY` are lists.
 */
const WORKERS = (process.env['WORKERS'] ?? '1,2').split(',').map(Number);
const CONCURRENCIES = (process.env['CONCURRENCY'] ?? '64,512').split(',').map(Number);

const figures = new Figures('workers');
const candidates = new Candidates();
try {
  const served = [];
  for (const workers of WORKERS) {
    const server = await ServedProcesses.start(workers, candidates.folder());
    served.push(await candidates.join(`${workers} worker${workers === 1 ? '' : 's'}`, server));
  }
  for (const [index, concurrency] of CONCURRENCIES.entries()) {
    const windows = await interleave(served, { concurrency, warmUp: index === 0 ? 10_000 : 0 });
    for (const [which, { name }] of served.entries()) {
      const add = (what: string, unit: string, figure: (window: Window) => number): void => {
        const all = windows[which]!.map(figure);
        figures.add({ name: `${concurrency}: ${name}${what}`, value: median(all), unit, ...rangeOf(all) });
      };
      add('', 'rollouts/s', ({ perSecond }) => perSecond);
      add(', p50', 'ms', ({ p50 }) => p50);
      add(', p99', 'ms', ({ p99 }) => p99);
      add('', 's CPU/1,000', ({ cpu }) => cpu);
      if (which === 0) continue;
      const [first = []] = windows;
      figures.add({ name: `${concurrency}: CPU, ${name}`, unit: 'x', ...ratio(windows[which]!, first) });
    }
  }
} finally {
  await candidates.close();
  figures.print();
}
