import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Dataset } from '../dataset/dataset.js';
import type { DatasetRow, DatasetSpec } from '../dataset/dataset.types.js';

/** A folder for the files of one suite. */
export class DatasetFiles {
  readonly folder = mkdtempSync(join(tmpdir(), 'osmosis-dataset-spec-'));

  write(name: string, content: string | Buffer): string {
    const path = join(this.folder, name);
    writeFileSync(path, content);
    return path;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export const PARQUET = join(__dirname, '../dataset/fixtures');

export async function rowsOf(spec: DatasetSpec | string, stdin?: NodeJS.ReadableStream): Promise<DatasetRow[]> {
  const dataset = await Dataset.open(typeof spec === 'string' ? { path: spec } : spec, stdin);
  try {
    return await collect(dataset.rows());
  } finally {
    await dataset.close();
  }
}

export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** A row that has all it needs. */
export function row(
  user: string,
  truth: unknown = '1',
  more: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return { user_prompt: user, system_prompt: 'Be brief.', ground_truth: truth, ...more };
}

export function jsonl(...rows: readonly unknown[]): string {
  return rows.map((each) => `${JSON.stringify(each)}\n`).join('');
}
