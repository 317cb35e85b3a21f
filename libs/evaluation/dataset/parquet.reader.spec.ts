import { createHash } from 'node:crypto';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { Dataset } from './dataset.js';
import { DatasetFiles, PARQUET, rowsOf } from '../testing/dataset-files.js';

const files = new DatasetFiles();
afterAll(() => files.remove());

const file = (name: string): string => join(PARQUET, `${name}.parquet`);

/** What pyarrow was given when it wrote the codec files, as plain JSON. */
const TABLE = [
  {
    user_prompt: 'What is 2 + 3?',
    system_prompt: 'Be brief.',
    ground_truth: '5',
    id: 1,
    unsigned: 1,
    score: 0.1,
    tags: ['a', 'b'],
    info: { k: [1, 2], deep: { x: 1 } },
    day: '2026-01-02T00:00:00.000Z',
    blob: 'AP8=',
    ok: true,
  },
  {
    user_prompt: 'Größe? "a|b;c"\nnext',
    system_prompt: 'Be brief.',
    ground_truth: 'ja',
    id: '9007199254740993',
    unsigned: '18446744073709551615',
    score: null,
    tags: [],
    info: { k: null, deep: null },
    day: null,
    blob: null,
    ok: false,
  },
  {
    user_prompt: 'third',
    system_prompt: 'Be brief.',
    ground_truth: 'x',
    id: '-9223372036854775808',
    unsigned: null,
    score: null,
    tags: null,
    info: null,
    day: null,
    blob: '',
    ok: null,
  },
];

describe('Parquet', () => {
  it.each(['none', 'snappy', 'gzip', 'zstd', 'brotli', 'lz4'])(
    'DS-06: %s; lists, structs, dates, bytes and 64-bit integers as plain JSON values',
    async (codec) => {
      expect((await rowsOf(file(`codec-${codec}`))).map(({ values }) => values)).toEqual(TABLE);
    },
  );

  it('what polars writes by default', async () => {
    const expected = TABLE.map(({ user_prompt, system_prompt, ground_truth, id, tags }) => ({
      user_prompt,
      system_prompt,
      ground_truth,
      id,
      tags,
    }));
    expect((await rowsOf(file('polars'))).map(({ values }) => values)).toEqual(expected);
  });

  it('a messages column of structs', async () => {
    const [only] = await rowsOf(file('messages'));
    expect(only?.messages).toEqual([
      { role: 'system', content: 's' },
      { role: 'user', content: 'u' },
    ]);
  });

  it('DS-17: text that is no UTF-8 is told, not replaced', async () => {
    await expect(rowsOf(file('bad-text'))).rejects.toThrow('a text value is not valid UTF-8');
  });

  it('a file that is none is told', async () => {
    await expect(rowsOf(files.write('fake.parquet', 'user_prompt,system_prompt\n'))).rejects.toThrow(
      'fake.parquet: cannot be read as Parquet',
    );
  });

  it('is read by its name, in any case', async () => {
    copyFileSync(file('codec-none'), join(files.folder, 'UPPER.PARQUET'));
    expect(await rowsOf(join(files.folder, 'UPPER.PARQUET'))).toHaveLength(3);
  });
});

/** The rule by which the rows of the large files were made. */
function expectedRow(index: number): Record<string, unknown> {
  return {
    user_prompt: `question ${index % 997}`,
    system_prompt: `system ${index % 3}`,
    ground_truth: String((index * 7919) % 101),
    value: (index % 1000) / 8,
    n: index,
  };
}

const digest = (rows: Iterable<unknown>): string => {
  const hash = createHash('sha256');
  for (const each of rows) hash.update(JSON.stringify(each));
  return hash.digest('hex');
};

describe.each(['groups-pyarrow', 'groups-duckdb'])('DS-08: %s, 100,001 rows in 25 row groups of odd sizes', (name) => {
  const path = file(name);

  it('every value is right', async () => {
    const rows = await rowsOf(path);
    expect(rows).toHaveLength(100_001);
    expect(digest(rows.map(({ values }) => values))).toBe(
      digest(Array.from({ length: 100_001 }, (_, index) => expectedRow(index))),
    );
  }, 120_000);

  it.each([
    [3_990, 200],
    [4_095, 2],
    [50_000, 9_000],
    [99_990, 100],
  ])('a window from %d of %d rows crosses the borders', async (offset, limit) => {
    const rows = await rowsOf({ path, offset, limit });
    const expected = Array.from({ length: Math.min(limit, 100_001 - offset) }, (_, index) => offset + index);
    expect(rows.map(({ index }) => index)).toEqual(expected);
    expect(rows.map(({ values }) => values)).toEqual(expected.map(expectedRow));
  });

  it('the number of rows comes from the footer', async () => {
    const dataset = await Dataset.open({ path });
    expect(await dataset.count()).toEqual({ rows: 100_001, exact: true });
  });
});
