import { Candidates } from './support/candidates.js';
import { Figures, quantile } from './support/figures.js';
import { takeOtherCpu } from './support/server-under-test.js';

/**
 * All inits at once: none may be lost, and the 202 must come soon. `INITS` is how many, `CONNECTIONS` over how many
 * connections, all of which are open before. The engine runs 1,000 at a time, the rest waits in its queue. Bare node is no
 * match: it starts all at once and runs out of file descriptors.
 */
const INITS = Number(process.env['INITS'] ?? 16_000);
const CONNECTIONS = (process.env['CONNECTIONS'] ?? '1000,8000').split(',').map(Number);
const ROUNDS = Number(process.env['ROUNDS'] ?? 3);
const GOAL = { better: 'less', must: 3_000, aim: 1_000 } as const;

takeOtherCpu();
const figures = new Figures('burst');
try {
  for (const connections of CONNECTIONS) {
    for (const store of ['memory', 'sqlite'] as const) await measure(store, connections);
  }
} finally {
  figures.print();
}

async function measure(store: 'memory' | 'sqlite', connections: number): Promise<void> {
  const candidates = new Candidates();
  const options = { connections, rollouts: { maxConcurrent: 1_000 } };
  try {
    const { server, load } = await candidates.osmosis(store, options);
    load.start(64, 5_000);
    await load.done();
    const p99s: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      load.acceptLatencies.length = 0;
      load.add(INITS);
      await load.done();
      if (load.acceptLatencies.length !== INITS)
        throw new Error(`${INITS - load.acceptLatencies.length} got no answer`);
      p99s.push(quantile(load.acceptLatencies, 0.99));
    }
    const name = `${INITS} over ${connections} connections: ${store}`;
    const value = Math.min(...p99s);
    figures.add({ name: `${name}, completed`, value: load.completed - 5_000, unit: 'rollouts' });
    figures.add({ name: `${name}, p99 of the 202`, value, unit: 'ms', min: value, max: Math.max(...p99s), goal: GOAL });
    figures.add({ name: `${name}, peak memory`, value: server.peakRss / 2 ** 20, unit: 'MB' });
  } finally {
    await candidates.close();
  }
}
