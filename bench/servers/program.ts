import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** What the benchmark hands to its program. */
export function programOptions<Options extends object>(): Options {
  return JSON.parse(process.argv[2] ?? '{}') as Options;
}

type Answers = Readonly<Record<string, () => unknown>>;

/**
 * Tells the benchmark where the program listens, and answers its questions: `memory` with figures before and after a
 * collection, others from `answers`. Ends the process when the benchmark is gone.
 */
export function serveBenchmark(
  url: string,
  answers: Answers = {},
  close: () => Promise<unknown> = async () => {},
): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const lag = monitorEventLoopDelay({ resolution: 10 });
  lag.enable();
  process.on('message', (question: string) => {
    if (question !== 'memory') return void process.send?.({ [question]: answers[question]?.() });
    const before = process.memoryUsage();
    const [lagP99, lagMax] = [lag.percentile(99) / 1e6, lag.max / 1e6];
    collect();
    const after = process.memoryUsage();
    lag.reset();
    process.send?.({
      rss: before.rss,
      heap: before.heapUsed,
      rssAfterGc: after.rss,
      heapAfterGc: after.heapUsed,
      lagP99,
      lagMax,
      active: answers['active']?.() ?? 0,
      remembered: answers['remembered']?.() ?? 0,
    });
  });
  process.on('disconnect', () => void close().then(() => process.exit(0)));
  process.send?.({ url });
}
