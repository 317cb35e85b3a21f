import { setTimeout as pause } from 'node:timers/promises';
import { Candidates } from './support/candidates.js';
import { Figures, quantile } from './support/figures.js';
import { takeOtherCpu } from './support/server-under-test.js';
import type { Candidate } from './support/windows.js';

/**
 * Thousands of rollouts that wait 20 s for the model at the same time: memory of each, latency that comes on top, how late
 * the event loop was, and whether all end. `COUNTS` is a list.
 */
const COUNTS = (process.env['COUNTS'] ?? '10000,16384').split(',').map(Number);
/** Beyond it bare node runs out of file descriptors: it asks again before its connection is free. */
const BARE_COUNT = 10_000;
/**
 * Linux gives the connections to one address every other of its 28,000 ports at once, and searches for the rest: above
 * 14,000 it takes two milliseconds for each. So there are two trainers.
 */
const TRAINERS = 2;
const DELAY_MS = 20_000;
/** Inits a second: all are under way before the first answer comes. */
const PACE = 2_000;
const MEMORY = { better: 'less', must: 20, aim: 13 } as const;
const ADDED = { better: 'less', must: 1_000, aim: 300 } as const;

takeOtherCpu();
const figures = new Figures('waiting');
try {
  for (const count of COUNTS) {
    await measure('osmosis', count);
    if (count <= BARE_COUNT) await measure('bare node', count);
  }
} finally {
  figures.print();
}

async function measure(which: 'bare node' | 'osmosis', count: number): Promise<void> {
  const candidates = new Candidates();
  try {
    const warm = { delayMs: 0 };
    const { server, load } =
      which === 'osmosis'
        ? await candidates.osmosis('memory', warm)
        : await candidates.start(which, 'baselines/node', warm);
    load.start(64, 10_000);
    await load.done();
    // Connections and records of the warm-up are gone.
    await pause(16_000);
    const base = (await server.memory()).rssAfterGc;

    const parts: Candidate[] = [];
    for (let part = 0; part < TRAINERS; part++) {
      parts.push(await candidates.join(which, server, { delayMs: DELAY_MS, prefix: `waiting-${part}-` }));
    }
    const sum = (figure: (part: Candidate) => number): number => parts.reduce((total, part) => total + figure(part), 0);
    const completed = (): number => sum(({ load }) => load.completed);
    const cpuBefore = server.cpuSeconds;
    for (let started = 0; started < count; started += PACE / 20) {
      const next = parts[(started / (PACE / 20)) % TRAINERS]!;
      next.load.add(Math.min(PACE / 20, count - started));
      await pause(50);
    }
    // A server that is too slow has its first answers before its last calls are made.
    while (sum(({ trainer }) => trainer.waiting) < count && completed() === 0) await pause(20);
    const held = await server.memory();
    for (const { load } of parts) await load.done();
    const after = await server.memory();

    const name = `${count}: ${which}`;
    const own = which === 'osmosis';
    const added = parts.flatMap((part) => part.load.takeLatencies()).map((ms) => ms - DELAY_MS);
    const cpu = server.cpuSeconds - cpuBefore;
    figures.add({ name: `${name}, ended well`, value: completed(), unit: 'rollouts' });
    figures.add({
      name: `${name}, memory each`,
      value: (held.rssAfterGc - base) / 1024 / count,
      unit: 'kB',
      goal: own ? MEMORY : undefined,
    });
    figures.add({ name: `${name}, peak memory each`, value: (server.peakRss - base) / 1024 / count, unit: 'kB' });
    figures.add({ name: `${name}, added p50`, value: quantile(added, 0.5), unit: 'ms' });
    figures.add({
      name: `${name}, added p99`,
      value: quantile(added, 0.99),
      unit: 'ms',
      goal: own ? ADDED : undefined,
    });
    figures.add({ name: `${name}, event loop late at most`, value: Math.max(held.lagMax, after.lagMax), unit: 'ms' });
    figures.add({ name: `${name}, CPU`, value: (cpu / count) * 1_000, unit: 's/1,000' });
  } finally {
    await candidates.close();
  }
}
