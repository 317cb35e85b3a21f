import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { Dataset } from './dataset.js';
import type { DatasetRow } from './dataset.types.js';
import { collect, DatasetFiles, jsonl, row, rowsOf } from '../testing/dataset-files.js';

const files = new DatasetFiles();
afterAll(() => files.remove());

const prompts = (rows: readonly { readonly values: Readonly<Record<string, unknown>> }[]): unknown[] =>
  rows.map(({ values }) => values['user_prompt']);

const ten = files.write('ten.jsonl', jsonl(...Array.from({ length: 10 }, (_, index) => row(`q${index}`))));

describe('reading a dataset (spec F.1)', () => {
  it('gives each row with its conversation, its truth and every column', async () => {
    const path = files.write('one.jsonl', jsonl(row('What is 2 + 2?', '4', { topic: 'sums', tags: ['a', { b: 1 }] })));
    expect(await rowsOf(path)).toEqual([
      {
        index: 0,
        line: 1,
        groundTruth: '4',
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'What is 2 + 2?' },
        ],
        values: {
          user_prompt: 'What is 2 + 2?',
          system_prompt: 'Be brief.',
          ground_truth: '4',
          topic: 'sums',
          tags: ['a', { b: 1 }],
        },
      },
    ]);
  });

  it.each([
    ['limit 3', { limit: 3 }, [0, 1, 2]],
    ['offset 5', { offset: 5 }, [5, 6, 7, 8, 9]],
    ['limit 3, offset 2', { limit: 3, offset: 2 }, [2, 3, 4]],
    ['offset behind the end', { offset: 20 }, []],
  ])('%s', async (_name, window, indexes) => {
    expect((await rowsOf({ path: ten, ...window })).map(({ index }) => index)).toEqual(indexes);
  });

  it.each(['jsonl', 'json', 'csv'])('%s: windows are of the whole file, however it comes', async (format) => {
    // More than a chunk of the file, and than a batch of a JSON list.
    const all = Array.from({ length: 2_500 }, (_, index) => row(`${index} ${'x'.repeat(300)}`));
    const texts: Record<string, string> = {
      jsonl: jsonl(...all),
      json: JSON.stringify(all),
      csv: [Object.keys(all[0]!), ...all.map((each) => Object.values(each))].map((cells) => cells.join(',')).join('\n'),
    };
    const path = files.write(`large.${format}`, texts[format]!);
    const numbers = (rows: readonly DatasetRow[]): string[] =>
      rows.map(({ index, values }) => `${index}=${String(values['user_prompt']).split(' ')[0]}`);
    const named = (from: number, to: number): string[] =>
      Array.from({ length: to - from }, (_, index) => `${from + index}=${from + index}`);
    expect(numbers(await rowsOf(path))).toEqual(named(0, 2_500));
    expect(numbers(await rowsOf({ path, offset: 990, limit: 20 }))).toEqual(named(990, 1_010));
    expect(numbers(await rowsOf({ path, offset: 1_000, limit: 1_000 }))).toEqual(named(1_000, 2_000));
    expect(numbers(await rowsOf({ path, offset: 2_499 }))).toEqual(named(2_499, 2_500));
  });

  it('does not look at what is behind the window', async () => {
    const path = files.write('broken-later.jsonl', `${jsonl(row('a'), row('b'))}{broken`);
    expect(await rowsOf({ path, limit: 2 })).toHaveLength(2);
  });

  it.each([
    ['limit', 0],
    ['limit', 1.5],
    ['offset', -1],
  ])('%s %d is refused', async (name, value) => {
    await expect(Dataset.open({ path: ten, [name]: value })).rejects.toThrow(`${name} must be a whole number`);
  });

  it('takes a messages column in place of the prompts, as a list or as its JSON text', async () => {
    const messages = [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: 'hello' },
      { role: 'user', content: 'and?' },
    ];
    const path = files.write(
      'messages.jsonl',
      jsonl({ messages, ground_truth: 'x' }, { messages: JSON.stringify(messages), ground_truth: 'x' }),
    );
    expect((await rowsOf(path)).map((each) => each.messages)).toEqual([messages, messages]);
  });

  it.each([
    [{ ground_truth: 'x', messages: [] }, 'messages cannot be an empty list'],
    [{ ground_truth: 'x', messages: 'hello' }, 'messages is text that is no JSON'],
    [{ ground_truth: 'x', messages: { role: 'user' } }, 'messages must be a list of messages, not an object'],
    [{ ground_truth: 'x', messages: [{ role: 'user' }, 'x'] }, 'messages has no message at place 1'],
    [{ user_prompt: 'a', topic: 't' }, 'missing ground_truth, system_prompt. Columns of this row: user_prompt, topic'],
    [row('a', null), 'ground_truth cannot be null'],
    [row(' \n'), 'user_prompt cannot be empty'],
    [row('a', '1', { system_prompt: ['x'] }), 'system_prompt must be a string, not a list'],
  ])('%j: %s', async (bad, message) => {
    const path = files.write('bad-row.jsonl', jsonl(row('fine'), bad));
    await expect(rowsOf(path)).rejects.toThrow(`bad-row.jsonl:2: row 1: ${message}`);
  });

  it.each([42, 0, true, false, 1e21, ['a', 'b']])('DS-14: a ground truth of %j is refused by name', async (truth) => {
    const path = files.write('typed.jsonl', jsonl(row('a', truth)));
    await expect(rowsOf(path)).rejects.toThrow(/typed\.jsonl:1: row 0: ground_truth must be a string, not (the|a) /);
  });

  it('DS-13: known columns match in any case, and go by our names', async () => {
    const path = files.write('case.csv', 'GROUND_TRUTH,User_Prompt,system_prompt,Topic\n4,q,s,t\n');
    const [only] = await rowsOf(path);
    expect(only?.values).toEqual({ ground_truth: '4', user_prompt: 'q', system_prompt: 's', Topic: 't' });
  });

  it('DS-13: two columns of one meaning are a question only the user can answer', async () => {
    const path = files.write('collision.jsonl', jsonl({ ...row('q', 'a'), Ground_Truth: 'b' }));
    await expect(rowsOf(path)).rejects.toThrow("the columns 'ground_truth' and 'Ground_Truth' are both ground_truth");
    const [answered] = await rowsOf({ path, columns: { ground_truth: 'Ground_Truth' } });
    expect(answered?.groundTruth).toBe('b');
  });

  it('takes our columns from others', async () => {
    const path = files.write('mapped.jsonl', jsonl({ question: 'q', answer: 'a', system_prompt: 's' }));
    const [only] = await rowsOf({ path, columns: { user_prompt: 'question', ground_truth: 'answer' } });
    expect(only?.values).toEqual({ user_prompt: 'q', ground_truth: 'a', system_prompt: 's' });
    await expect(rowsOf({ path, columns: { user_prompt: 'asked' } })).rejects.toThrow(
      "there is no column 'asked' to take user_prompt from. Columns: question, answer, system_prompt",
    );
  });

  it('unpacks gzip on the way, and says when it is none', async () => {
    const path = files.write('packed.jsonl.gz', gzipSync(jsonl(row('a'), row('b'))));
    expect(prompts(await rowsOf(path))).toEqual(['a', 'b']);
    await expect(rowsOf(files.write('torn.jsonl.gz', gzipSync(jsonl(row('a'))).subarray(0, 30)))).rejects.toThrow(
      'torn.jsonl.gz: is no sound gzip file',
    );
  });

  it('reads standard input, as often as needed', async () => {
    const dataset = await Dataset.open({ path: '-' }, Readable.from([jsonl(row('a')), jsonl(row('b'))]));
    expect(prompts(await collect(dataset.rows()))).toEqual(['a', 'b']);
    expect(await dataset.count()).toEqual({ rows: 2, exact: true });
    expect(await dataset.row(1)).toMatchObject({ index: 1 });
    await dataset.close();
    await expect(dataset.count()).rejects.toThrow('-: ');
  });

  it('counts rows, to the end or as far as wanted', async () => {
    const dataset = await Dataset.open({ path: ten });
    expect(await dataset.count()).toEqual({ rows: 10, exact: true });
    expect(await dataset.count(4)).toEqual({ rows: 4, exact: false });
  });

  it('knows a file by its bytes', async () => {
    const hash = async (content: string): Promise<string> =>
      (await Dataset.open({ path: files.write('hashed.jsonl', content) })).sha256();
    expect(await hash('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(await hash('abd')).not.toBe(await hash('abc'));
  });

  it('gives one row by its place in the file, within the window', async () => {
    const dataset = await Dataset.open({ path: ten, offset: 2, limit: 3 });
    expect((await dataset.row(4))?.values['user_prompt']).toBe('q4');
    expect(await dataset.row(1)).toBeUndefined();
    expect(await dataset.row(5)).toBeUndefined();
  });

  it.each([
    ['missing.jsonl', 'missing.jsonl: there is no such file'],
    ['', ': is a directory'],
    ['data.xml', 'the name does not tell the format. Known: .jsonl, .json, .csv, .parquet'],
    ['data.parquet.gz', 'cannot be wrapped in gzip'],
  ])('%j: %s', async (name, message) => {
    const format = name === '' ? { format: 'jsonl' as const } : {};
    await expect(Dataset.open({ path: `${files.folder}/${name}`, ...format })).rejects.toThrow(message);
  });
});
