import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Load } from './support/load.js';
import { ServedProcesses } from './support/served-processes.js';

/**
 * `osmosis serve` with one process and with several workers, both with SQLite, in turns: throughput, latency, and CPU of
 * all processes for 1,000 rollouts. Prints a JSON line a window and a table. On a machine with two CPUs the load takes a
 * good part of one, so the CPU tells more than the throughput. Run it with
 * `npm run build && node --import @swc-node/register/esm-register bench/workers.ts`.
 *
 * `WORKERS` (a list), `ROUNDS`, `WINDOW_MS`, `CONCURRENCY` (a list).
 */
const WORKERS = (process.env['WORKERS'] ?? '1,2').split(',').map(Number);
const ROUNDS = Number(process.env['ROUNDS'] ?? 5);
const WINDOW_MS = Number(process.env['WINDOW_MS'] ?? 5_000);
const CONCURRENCIES = (process.env['CONCURRENCY'] ?? '64,512').split(',').map(Number);
const WARM_UP_MS = 4_000;

interface Candidate {
  readonly workers: number;
  readonly server: ServedProcesses;
  readonly load: Load;
}

interface Window {
  readonly workers: number;
  readonly concurrency: number;
  readonly perSecond: number;
  /** Seconds of CPU for 1,000 rollouts. */
  readonly cpu: number;
  readonly p50: number;
  readonly p99: number;
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? NaN;
}

async function measure({ workers, server, load }: Candidate, concurrency: number, ms: number): Promise<Window> {
  load.start(concurrency);
  await pause(300);
  load.takeLatencies();
  const before = { completed: load.completed, cpu: server.cpuSeconds, at: performance.now() };
  await pause(ms);
  const rollouts = load.completed - before.completed;
  const seconds = (performance.now() - before.at) / 1_000;
  const cpu = ((server.cpuSeconds - before.cpu) / rollouts) * 1_000;
  const latencies = load.takeLatencies();
  await load.stop();
  const [p50, p99] = [quantile(latencies, 0.5), quantile(latencies, 0.99)];
  return { workers, concurrency, perSecond: rollouts / seconds, cpu, p50, p99 };
}

const directory = mkdtempSync(join(tmpdir(), 'osmosis-bench-'));
const candidates: Candidate[] = [];
for (const workers of WORKERS) {
  const server = await ServedProcesses.start(workers, join(directory, String(workers)));
  candidates.push({ workers, server, load: await Load.open(server.url) });
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
  console.log(
    `\n${concurrency} in flight, ${ROUNDS} windows of ${WINDOW_MS / 1_000} s; CPU: the smallest, and the largest`,
  );
  console.log('workers   rollouts/s   p50 ms   p99 ms   CPU s/1,000');
  for (const workers of WORKERS) {
    const own = windows.filter((window) => window.workers === workers);
    const median = (figure: (window: Window) => number): number => quantile(own.map(figure), 0.5);
    const cpu = own.map((window) => window.cpu);
    console.log(
      String(workers).padStart(7) +
        median(({ perSecond }) => perSecond)
          .toFixed(0)
          .padStart(13) +
        median(({ p50 }) => p50)
          .toFixed(1)
          .padStart(9) +
        median(({ p99 }) => p99)
          .toFixed(1)
          .padStart(9) +
        `${Math.min(...cpu).toFixed(3)} … ${Math.max(...cpu).toFixed(3)}`.padStart(18),
    );
  }
  console.log();
}
