import { setTimeout as pause } from 'node:timers/promises';
import { Candidates } from './support/candidates.js';
import { Figures } from './support/figures.js';
import { takeOtherCpu, type MemoryFigures } from './support/server-under-test.js';

/**
 * Memory of a server over many short rollouts, some of them forgotten while others run: what it keeps of a rollout that
 * was forgotten. `ROLLOUTS`, `STORE` (memory or sqlite) and `TTL_MS`, for how long finished rollouts are remembered.
 */
const ROLLOUTS = Number(process.env['ROLLOUTS'] ?? 50_000);
const TTL_MS = Number(process.env['TTL_MS'] ?? 5_000);
const STORE = process.env['STORE'] === 'sqlite' ? 'sqlite' : 'memory';
const SAMPLES = 10;
const CONCURRENCY = 64;
const MB = 2 ** 20;

takeOtherCpu();
const figures = new Figures('memory');
const candidates = new Candidates();
try {
  const options = { rollouts: { recordTtlMs: TTL_MS, cleanupIntervalMs: 1_000 } };
  const { server, load } = await candidates.osmosis(STORE, options);
  const samples: MemoryFigures[] = [];
  for (let step = 0; step < SAMPLES; step++) {
    load.start(CONCURRENCY, ROLLOUTS / SAMPLES);
    await load.done();
    const sample = await server.memory();
    samples.push(sample);
    figures.add({ name: `after ${load.completed}, resident`, value: sample.rss / MB, unit: 'MB' });
    figures.add({ name: `after ${load.completed}, heap collected`, value: sample.heapAfterGc / MB, unit: 'MB' });
  }
  // Everything is forgotten.
  await pause(TTL_MS + 2_500);
  const end = await server.memory();
  figures.add({ name: 'all forgotten, resident', value: end.rssAfterGc / MB, unit: 'MB' });
  figures.add({ name: 'all forgotten, heap collected', value: end.heapAfterGc / MB, unit: 'MB' });
  // The first fifth warms up: code is compiled, pools fill.
  const warm = samples[SAMPLES / 5 - 1]!;
  const grown = (end.heapAfterGc - warm.heapAfterGc) / (ROLLOUTS - ROLLOUTS / 5);
  figures.add({ name: 'growth of the heap', value: grown, unit: 'bytes each' });
} finally {
  await candidates.close();
  figures.print();
}
