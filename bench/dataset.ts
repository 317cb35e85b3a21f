import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Figures, rangeOf } from './support/figures.js';
import { writeParquet } from './support/parquet-file.js';
import { ServerUnderTest } from './support/server-under-test.js';

/**
 * Large datasets: how long until the first run of an evaluation starts (all rows have been read and checked by then, and
 * the file's hash is known), and whether memory depends on how many rows there are.
 */
const ROUNDS = Number(process.env['ROUNDS'] ?? 3);
const [FEW, MANY] = [20_000, 200_000];
const COLUMNS = ['user_prompt', 'system_prompt', 'ground_truth', 'topic'] as const;
const START = { better: 'less', must: 2_000, aim: 1_000 } as const;
const FILLER = 'Explain each step, and give the result in the end. '.repeat(4);

function rowOf(index: number): Record<(typeof COLUMNS)[number], string> {
  return {
    user_prompt: `What is ${index} + ${index % 97}? ${FILLER}`,
    system_prompt: 'Use the tools.',
    ground_truth: String(index + (index % 97)),
    topic: `topic ${index % 7}`,
  };
}

async function writeJsonl(path: string, count: number): Promise<void> {
  const file = createWriteStream(path);
  for (let index = 0; index < count; index++) {
    if (!file.write(`${JSON.stringify(rowOf(index))}\n`)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'finish');
}

interface Reading {
  readonly firstRunMs: number;
  readonly peakMb: number;
}

async function read(dataset: string): Promise<Reading> {
  const program = await ServerUnderTest.start('servers/dataset-reader', { dataset });
  try {
    await program.ask('start');
    for (;;) {
      const { firstRunMs } = await program.ask<{ firstRunMs: number | null }>('firstRunMs');
      if (firstRunMs !== null) return { firstRunMs, peakMb: program.peakRss / 1e6 };
      await pause(50);
    }
  } finally {
    await program.stop();
  }
}

const folder = mkdtempSync(join(tmpdir(), 'osmosis-bench-dataset-'));
const figures = new Figures('dataset');
try {
  for (const format of ['jsonl', 'parquet'] as const) {
    const files = [FEW, MANY].map((rows) => join(folder, `${rows}.${format}`)) as [string, string];
    for (const [index, rows] of [FEW, MANY].entries()) {
      if (format === 'jsonl') await writeJsonl(files[index]!, rows);
      else writeParquet(files[index]!, COLUMNS, rows, rowOf);
    }
    const [few, many]: [Reading[], Reading[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      few.push(await read(files[0]));
      many.push(await read(files[1]));
    }
    const times = many.map(({ firstRunMs }) => firstRunMs);
    const peaks = many.map(({ peakMb }) => peakMb);
    const least = (readings: readonly Reading[]): number => Math.min(...readings.map(({ peakMb }) => peakMb));
    const name = `${MANY / 1_000}k rows of ${format}`;
    figures.add({
      name: `${name}: first run after`,
      value: Math.min(...times),
      unit: 'ms',
      ...rangeOf(times),
      goal: START,
    });
    figures.add({ name: `${name}: most memory`, value: least(many), unit: 'MB', ...rangeOf(peaks) });
    figures.add({ name: `${name}: more than for ${FEW / 1_000}k`, value: least(many) - least(few), unit: 'MB' });
  }
} finally {
  rmSync(folder, { recursive: true });
}
figures.print();
