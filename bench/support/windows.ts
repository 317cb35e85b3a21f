import { median, quantile } from './figures.js';
import type { Load } from './load.js';
import type { BenchTrainer } from './trainer.js';

/** A server in processes of its own. */
export interface MeasuredServer {
  readonly url: string;
  /** Seconds of CPU that all its threads have taken. */
  readonly cpuSeconds: number;
  stop(): Promise<void>;
}

/** One of the servers that are compared. */
export interface Candidate<Server extends MeasuredServer = MeasuredServer> {
  readonly name: string;
  readonly server: Server;
  readonly load: Load;
  readonly trainer: BenchTrainer;
  /** Of the rollouts of a window and of the warm-up; less for one that is much slower than the others. Default 1. */
  readonly share?: number;
}

/** What a server did in a few seconds. */
export interface Window {
  readonly concurrency: number;
  readonly perSecond: number;
  /** Seconds of CPU for 1,000 rollouts, all threads. */
  readonly cpu: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

export interface WindowOptions {
  readonly concurrency: number;
  readonly rounds?: number;
  /** Of one window. Not a time: on a busy machine each server would get another share of it. */
  readonly rollouts?: number;
  /** Rollouts before the first window, while code is compiled. */
  readonly warmUp?: number;
}

/** `ROUNDS` and `ROLLOUTS` of the environment make a run longer, and less noisy. */
const ROUNDS = Number(process.env['ROUNDS'] ?? 5);
const ROLLOUTS = Number(process.env['ROLLOUTS'] ?? 6_000);

/**
 * Measures servers in turns, so that a neighbour's noise hits all of them; each goes first as often as another.
 *
 * @returns for each candidate its windows, one a round
 */
export async function interleave(candidates: readonly Candidate[], options: WindowOptions): Promise<Window[][]> {
  const { concurrency, rounds = ROUNDS, rollouts = ROLLOUTS, warmUp = 0 } = options;
  const windows = candidates.map((): Window[] => []);
  if (warmUp > 0) for (const candidate of candidates) await measure(candidate, concurrency, warmUp);
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < candidates.length; turn++) {
      const index = (round + turn) % candidates.length;
      windows[index]!.push(await measure(candidates[index]!, concurrency, rollouts));
    }
  }
  return windows;
}

async function measure({ server, load, share = 1 }: Candidate, concurrency: number, all: number): Promise<Window> {
  const count = Math.ceil(all * share);
  load.start(concurrency);
  // Until each of the first has ended the load is a burst.
  await load.reaches(load.completed + Math.min(2 * concurrency, count));
  load.takeLatencies();
  const before = { completed: load.completed, cpu: server.cpuSeconds, at: performance.now() };
  await load.reaches(before.completed + count);
  const rollouts = load.completed - before.completed;
  const seconds = (performance.now() - before.at) / 1_000;
  const cpu = server.cpuSeconds - before.cpu;
  const latencies = load.takeLatencies();
  await load.stop();
  return {
    concurrency,
    perSecond: rollouts / seconds,
    cpu: (cpu / rollouts) * 1_000,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
  };
}

/**
 * How two servers compare by a figure: the minimum of each one's windows, which is the least disturbed; beside it the
 * ratios of the single rounds, whose median a machine that is slow for minutes disturbs less.
 */
export function ratio<Measured extends Pick<Window, 'cpu'>>(
  of: readonly Measured[],
  to: readonly Measured[],
  figure: (window: Measured) => number = ({ cpu }) => cpu,
): { value: number; min: number; max: number; median: number } {
  const rounds = of.map((window, round) => figure(window) / figure(to[round]!));
  return {
    value: Math.min(...of.map(figure)) / Math.min(...to.map(figure)),
    min: Math.min(...rounds),
    max: Math.max(...rounds),
    median: median(rounds),
  };
}
