import { Candidates } from './support/candidates.js';
import { Figures, median } from './support/figures.js';
import { takeOtherCpu } from './support/server-under-test.js';
import { interleave, ratio, type Candidate } from './support/windows.js';

/**
 * CPU and throughput of the whole server, in memory and with SQLite, with API key, idempotency, metrics and one log line a
 * rollout, against bare `node:http` with undici's Pool and against bare Fastify; in memory also without the advised flags
 * of Node. `CONCURRENCY` is a list. Of each server run `PROCESSES`, because two of the same differ by up to a tenth: V8
 * compiles them in another order.
 */
const CONCURRENCIES = (process.env['CONCURRENCY'] ?? '64,512,4096').split(',').map(Number);
const PROCESSES = Number(process.env['PROCESSES'] ?? 2);
const WARM_UP = 20_000;
const MEMORY = { better: 'more', must: 0.8, aim: 0.95 } as const;
const SQLITE = { better: 'more', must: 0.6, aim: 0.75 } as const;

takeOtherCpu();
const figures = new Figures('throughput');
const candidates = new Candidates();
try {
  const kinds: readonly (() => Promise<Candidate>)[] = [
    () => candidates.start('bare node', 'baselines/node'),
    () => candidates.start('bare Fastify', 'baselines/fastify'),
    () => candidates.osmosis('memory'),
    () => candidates.osmosis('sqlite'),
    async () => ({
      ...(await candidates.osmosis('memory', { flags: [] })),
      name: "osmosis, memory, Node's own flags",
    }),
  ];
  const all: Candidate[] = [];
  for (let round = 0; round < PROCESSES; round++) for (const start of kinds) all.push(await start());
  for (const [index, concurrency] of CONCURRENCIES.entries()) {
    const warmUp = index === 0 ? WARM_UP : 0;
    const each = await interleave(all, { concurrency, warmUp });
    // The processes of one kind as one: those that were started together are compared.
    const measured = kinds.map((_, kind) => each.filter((_, which) => which % kinds.length === kind).flat());
    const [bare = [], fastify = [], memory = [], sqlite = [], plain = []] = measured;
    for (const [which, windows] of measured.entries()) {
      const { name } = all[which]!;
      const cpus = windows.map(({ cpu }) => cpu);
      const min = Math.min(...cpus);
      figures.add({ name: `${concurrency}: ${name}`, value: min, unit: 's CPU/1,000', min, max: Math.max(...cpus) });
      figures.add({
        name: `${concurrency}: ${name}`,
        value: median(windows.map(({ perSecond }) => perSecond)),
        unit: 'rollouts/s',
      });
      figures.add({ name: `${concurrency}: ${name}, p99`, value: median(windows.map(({ p99 }) => p99)), unit: 'ms' });
    }
    figures.add({ name: `${concurrency}: memory, of bare node`, unit: 'x', goal: MEMORY, ...ratio(bare, memory) });
    figures.add({ name: `${concurrency}: SQLite, of bare node`, unit: 'x', goal: SQLITE, ...ratio(bare, sqlite) });
    figures.add({ name: `${concurrency}: memory, Node's own flags, of bare node`, unit: 'x', ...ratio(bare, plain) });
    figures.add({ name: `${concurrency}: memory, of bare Fastify`, unit: 'x', ...ratio(fastify, memory) });
  }
} finally {
  await candidates.close();
  figures.print();
}
