import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Load } from './support/load.js';
import { ServerUnderTest, takeOtherCpu } from './support/server-under-test.js';

/**
 * What the durable store costs: throughput and CPU of two servers of `dist`, one with SQLite and one in memory, in turns,
 * so that a neighbour's noise hits both. Prints a JSON line a window and a table. Run it with
 * `npm run build && node --import @swc-node/register/esm-register bench/store.ts`.
 *
 * `ROUNDS`, `WINDOW_MS`, `CONCURRENCY` (a list), `DATA_DIR` (where the disk to be measured is).
 */
const ROUNDS = Number(process.env['ROUNDS'] ?? 5);
const WINDOW_MS = Number(process.env['WINDOW_MS'] ?? 5_000);
const WARM_UP_MS = Number(process.env['WARM_UP_MS'] ?? 4_000);
const CONCURRENCIES = (process.env['CONCURRENCY'] ?? '64,512').split(',').map(Number);
/** Of throughput (issue 4). */
const GOAL = 0.15;

const STORES = ['memory', 'sqlite'] as const;
type Store = (typeof STORES)[number];

interface Window {
  readonly store: Store;
  readonly concurrency: number;
  readonly perSecond: number;
  /** Seconds of CPU for 1,000 rollouts, all threads. */
  readonly cpu: number;
  readonly p50: number;
  readonly p99: number;
}

interface Candidate {
  readonly store: Store;
  readonly server: ServerUnderTest;
  readonly load: Load;
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? NaN;
}

async function measure({ store, server, load }: Candidate, concurrency: number, ms: number): Promise<Window> {
  load.start(concurrency);
  await pause(300);
  load.takeLatencies();
  const before = { completed: load.completed, cpu: server.cpuSeconds, at: performance.now() };
  await pause(ms);
  const rollouts = load.completed - before.completed;
  const seconds = (performance.now() - before.at) / 1_000;
  const cpu = server.cpuSeconds - before.cpu;
  const latencies = load.takeLatencies();
  await load.stop();
  return {
    store,
    concurrency,
    perSecond: rollouts / seconds,
    cpu: (cpu / rollouts) * 1_000,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
  };
}

takeOtherCpu();
const directory = mkdtempSync(join(process.env['DATA_DIR'] ?? tmpdir(), 'osmosis-bench-'));
const candidates: Candidate[] = [];
for (const store of STORES) {
  const server = await ServerUnderTest.start({
    store,
    dataDir: directory,
    recordTtlMs: 10_000,
    cleanupIntervalMs: 5_000,
  });
  candidates.push({ store, server, load: await Load.open(server.url) });
}
try {
  for (const candidate of candidates) await measure(candidate, 64, WARM_UP_MS);
  for (const concurrency of CONCURRENCIES) {
    const windows: Window[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      // Each goes first as often as the other.
      for (const candidate of round % 2 === 0 ? candidates : candidates.toReversed()) {
        const window = await measure(candidate, concurrency, WINDOW_MS);
        windows.push(window);
        console.log(JSON.stringify(window));
      }
    }
    summarise(windows, concurrency);
  }
} finally {
  for (const { load, server } of candidates) {
    load.close();
    await server.stop();
  }
  rmSync(directory, { recursive: true });
}

function summarise(windows: readonly Window[], concurrency: number): void {
  const of = (store: Store): Window[] => windows.filter((window) => window.store === store);
  console.log(`\n${concurrency} in flight, medians of ${ROUNDS} windows of ${WINDOW_MS / 1_000} s`);
  console.log('store     rollouts/s   p50 ms   p99 ms   CPU s/1,000');
  for (const store of STORES) {
    const median = (figure: (window: Window) => number): number => quantile(of(store).map(figure), 0.5);
    console.log(
      store.padEnd(10) +
        median(({ perSecond }) => perSecond)
          .toFixed(0)
          .padStart(10) +
        median(({ p50 }) => p50)
          .toFixed(1)
          .padStart(9) +
        median(({ p99 }) => p99)
          .toFixed(1)
          .padStart(9) +
        median(({ cpu }) => cpu)
          .toFixed(3)
          .padStart(14),
    );
  }
  const [memory, sqlite] = [of('memory'), of('sqlite')];
  const ratio = (figure: (window: Window) => number): number =>
    quantile(
      memory.map((window, round) => figure(sqlite[round]!) / figure(window)),
      0.5,
    );
  const throughput = ratio(({ perSecond }) => perSecond);
  const cpu = ratio(({ cpu: seconds }) => seconds);
  console.log(
    `SQLite: ${(throughput * 100).toFixed(0)} % of the throughput (goal ${100 - GOAL * 100} %), ` +
      `${cpu.toFixed(2)} times the CPU; medians of the rounds' ratios.\n`,
  );
}
