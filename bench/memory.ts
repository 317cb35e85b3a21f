import { setTimeout as pause } from 'node:timers/promises';
import { Load } from './support/load.js';
import { ServerUnderTest, takeOtherCpu, type MemoryFigures } from './support/server-under-test.js';

/**
 * Memory of a server over many short rollouts, some of them forgotten while others run. Prints a JSON line for each
 * sample and a table. Run it with `npm run build && node --import @swc-node/register/esm-register bench/memory.ts`.
 *
 * `ROLLOUTS`, `STORE` (memory or sqlite, with `DATA_DIR`) and `TTL_MS`, for how long finished rollouts are remembered.
 */
const ROLLOUTS = Number(process.env['ROLLOUTS'] ?? 50_000);
const TTL_MS = Number(process.env['TTL_MS'] ?? 5_000);
const SAMPLES = 10;
const CONCURRENCY = 64;

interface Sample extends MemoryFigures {
  readonly rollouts: number;
  readonly seconds: number;
}

const mb = (bytes: number): string => (bytes / 1024 / 1024).toFixed(1).padStart(9);

takeOtherCpu();
const server = await ServerUnderTest.start({
  store: process.env['STORE'] ?? 'memory',
  dataDir: process.env['DATA_DIR'],
  recordTtlMs: TTL_MS,
  cleanupIntervalMs: 1_000,
});
const load = await Load.open(server.url);
const startedAt = performance.now();
const samples: Sample[] = [];

async function sample(): Promise<void> {
  const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
  const figures = { rollouts: load.completed, seconds, ...(await server.memory()) };
  samples.push(figures);
  console.log(JSON.stringify(figures));
}

await sample();
for (let step = 0; step < SAMPLES; step++) {
  load.start(CONCURRENCY, ROLLOUTS / SAMPLES);
  await load.done();
  await sample();
}
// Everything is forgotten.
await pause(TTL_MS + 2_500);
await sample();

console.log(`\n rollouts  seconds   RSS MB   heap MB  RSS after  heap after  remembered`);
for (const { rollouts, seconds, rss, heap, rssAfterGc, heapAfterGc, remembered } of samples) {
  const left = `${String(rollouts).padStart(9)}${seconds.toFixed(1).padStart(9)}`;
  console.log(
    `${left}${mb(rss)} ${mb(heap)}  ${mb(rssAfterGc)}   ${mb(heapAfterGc)}${String(remembered).padStart(12)}`,
  );
}
// The first fifth warms up: code is compiled, pools fill.
const warm = samples[Math.ceil(SAMPLES / 5)]!;
const end = samples.at(-1)!;
const grownKb = (end.heapAfterGc - warm.heapAfterGc) / 1024;
console.log(
  `\nFrom ${warm.rollouts} to ${end.rollouts} rollouts the heap after a collection went from ${mb(warm.heapAfterGc).trim()} ` +
    `to ${mb(end.heapAfterGc).trim()} MB: ${((grownKb * 1024) / (end.rollouts - warm.rollouts)).toFixed(1)} bytes a rollout.`,
);
load.close();
await server.stop();
