import { checkDataset } from './dataset.check.js';
import { DatasetFiles, jsonl, row } from '../testing/dataset-files.js';

const files = new DatasetFiles();
afterAll(() => files.remove());

describe('checking a dataset', () => {
  it('says everything that is wrong, counted by kind and column, with examples and their places', async () => {
    const path = files.write(
      'bad.jsonl',
      `${jsonl(row('a'), row('b', 7), row('', '1'), row('c', 8), { x: 1 })}{oops\n${jsonl(row('d'))}`,
    );
    const report = await checkDataset({ path });
    expect(report).toMatchObject({ rows: 7, valid: 2, invalid: 5, complete: true });
    expect(report.problems.map(({ kind, field, count }) => [kind, field, count])).toEqual([
      ['type', 'ground_truth', 2],
      ['empty', 'user_prompt', 1],
      ['missing', 'ground_truth', 1],
      ['syntax', null, 1],
    ]);
    expect(report.problems[0]?.examples).toEqual([
      `${path}:2: row 1: ground_truth must be a string, not the number 7. Put it in quotes`,
      `${path}:4: row 3: ground_truth must be a string, not the number 8. Put it in quotes`,
    ]);
    expect(report.problems[3]?.examples[0]).toContain('bad.jsonl:6:2: bad JSON');
  });

  it('describes the columns, shows a sample, and notes what may not be meant', async () => {
    const rows = [row('a', '1', { topic: 'x' }), row('a', '1', { topic: 3, row_index: 9 }), row('b'), row('c')];
    const report = await checkDataset({ path: files.write('notes.jsonl', jsonl(...rows)) });
    expect(report.problems).toEqual([]);
    expect(report.columns).toContainEqual({ name: 'topic', filled: 2, types: { text: 1, number: 1 } });
    expect(report.sample.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(report.notes).toEqual([
      '1 row repeats the conversation of another row.',
      "The column 'row_index' is not handed to the agent: a rollout's metadata has a field of its own there.",
      "The column 'topic' holds values of several types: 1 × text, 1 × number.",
    ]);
  });

  it('a file that breaks off is reported as far as it goes', async () => {
    const path = files.write('latin.jsonl', Buffer.concat([Buffer.from(jsonl(row('a'))), Buffer.from([0xff])]));
    const report = await checkDataset({ path });
    expect(report).toMatchObject({ complete: false, problems: [{ kind: 'encoding', count: 1 }] });
  });

  it('keeps few examples, whatever the number of faults', async () => {
    const path = files.write('many.jsonl', jsonl(...Array.from({ length: 50 }, () => row('a', null))));
    const [problem] = (await checkDataset({ path })).problems;
    expect([problem?.count, problem?.examples.length]).toEqual([50, 5]);
  });
});
