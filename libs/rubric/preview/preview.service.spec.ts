import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PreviewService, type RubricPreview } from './preview.service.js';

describe('a preview', () => {
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'preview-'));
  });

  afterEach(() => rm(directory, { recursive: true }));

  async function preview(name: string, text: string): Promise<RubricPreview> {
    const path = join(directory, name);
    await writeFile(path, text);
    return new PreviewService().load(path);
  }

  it('G-D, H 9: lists entries that cannot be used, and says why', async () => {
    const shown = await preview(
      'r.yml',
      '- rubric: a\n- rubric: |\n    two\n    lines\n  model_info: {api_key: SECRET-9c1b}\n',
    );
    expect(shown.items.map((item) => item.label)).toEqual(['document[0][0]', 'document[0][1]']);
    expect(shown.items[1]?.text).toBe('rubric: |\n  two\n  lines\nmodel_info:\n  api_key: "[secret]"\n');
    expect(shown.usable).toBe(0);
    const faults = shown.items.map((item) => item.problems.map((problem) => problem.message));
    expect(faults).toEqual([
      expect.arrayContaining([expect.stringContaining('needs id')]),
      expect.arrayContaining([expect.stringContaining('needs id')]),
    ]);
    expect(shown.problems).toEqual([]);
  });

  it('YM-01, YM-09: tells what spoils the whole file apart from what spoils one entry', async () => {
    const entry = '{id: a, rubric: r, model_info: {model: m}}';
    const shown = await preview('r.yaml', `version: 2\nrubrics: [${entry}, ${entry}]\n`);
    expect(shown.problems.map((problem) => problem.message)).toEqual([
      expect.stringMatching(/version 2 is unsupported/),
      expect.stringMatching(/'a' is used twice, first on line 2/),
    ]);
    expect(shown.items.map((item) => item.problems)).toEqual([[], []]);
  });

  it('AU-05: blanks keys wherever they stand', async () => {
    const yaml = await preview('r.yaml', 'rubric: r\ndefault_model_info: {model: m, api_key: SECRET-9c1b}\n');
    expect(yaml.items[0]?.text).toContain('default_model_info:\n  model: m\n  api_key: "[secret]"');
    const jsonl = await preview('d.jsonl', '{"extra_info":{"api_key":"SECRET-9c1b"},"list":[{"api_key":null}]}');
    expect(jsonl.items[0]?.value).toEqual({ extra_info: { api_key: '[secret]' }, list: [{ api_key: null }] });
    expect(JSON.stringify([yaml, jsonl])).not.toContain('SECRET');
  });

  it('G-D: shows the records of a data set', async () => {
    const shown = await preview('d.JSONL', '{"a":"ü"}\n\n{"b":2}\n');
    expect(shown).toMatchObject({ kind: 'records', usable: 2 });
    expect(shown.items[0]).toEqual({
      label: 'line 1',
      value: { a: 'ü' },
      text: '{\n  "a": "ü"\n}\n',
      problems: [],
    });
    expect(shown.items[1]?.label).toBe('line 3');
  });

  it('D.6: an empty rubric file has no items; other kinds and places are refused', async () => {
    expect((await preview('e.yaml', '')).items).toEqual([]);
    await expect(preview('x.txt', '')).rejects.toThrow(/Expected \.yaml/);
    await expect(preview('d.jsonl', '')).rejects.toThrow(/no records/);
    await expect(new PreviewService().load(directory)).rejects.toThrow(/directory/);
    await expect(new PreviewService().load(join(directory, 'none.yaml'))).rejects.toThrow(/does not exist/);
  });
});
