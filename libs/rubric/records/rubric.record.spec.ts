import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readJsonl } from './jsonl.reader.js';
import { loadRecords } from './record.loader.js';
import {
  conversationLabel,
  judgeMetadata,
  mergedExtraInfo,
  previewText,
  readRecord,
  recordIdentifier,
  type RubricRecord,
} from './rubric.record.js';

function record(value: Record<string, unknown>): RubricRecord {
  const read = readRecord({ line: 1, value: { solution_str: 's', ...value } });
  if ('fault' in read) throw new Error(read.fault.message);
  return read.record;
}

function fault(value: Record<string, unknown>): string {
  const read = readRecord({ line: 1, value });
  if ('record' in read) throw new Error('expected a fault');
  return read.fault.message;
}

describe('a record', () => {
  it('C.2: trims ids, and takes odd optional fields as absent', () => {
    const odd = { rubric_id: ' r ', conversation_id: ' ', id: 7, ground_truth: 5, metadata: [], extra_info: 'x' };
    expect(record(odd)).toMatchObject({
      rubricId: 'r',
      conversationId: null,
      recordId: null,
      groundTruth: null,
      metadata: null,
      extraInfo: null,
      payload: odd,
    });
    expect(conversationLabel(record(odd), 3)).toBe('record[3]');
    expect(recordIdentifier(record(odd), 'label')).toBe('7');
    expect(recordIdentifier(record({ id: 'own' }), 'label')).toBe('own');
    expect(recordIdentifier(record({}), 'label')).toBe('label');
  });

  it('G-C: original_input inside extra_info is taken, and extra_info left as it is', () => {
    const taken = record({ extra_info: { original_input: 'in' } });
    expect(taken.originalInput).toBe('in');
    expect(taken.extraInfo).toEqual({ original_input: 'in' });
  });

  it('G-C: without a solution it is a fault that names it', () => {
    expect(fault({ rubric_id: 'r' })).toMatch(/^record 'r': solution_str/);
    expect(fault({ solution_str: ' ', conversation_id: 'c', rubric_id: 'r' })).toMatch(/^record 'c'/);
    expect(fault({})).toMatch(/^record '<record>'/);
    expect(fault({ solution_str: 's', score_min: true })).toMatch(/score_min must be a number, not true/);
  });

  it('0.3: messages may stand in for the solution', () => {
    const messages = [
      { role: 'assistant', content: 'first' },
      { role: 'assistant', content: [{ type: 'text', text: 'last' }] },
      { role: 'tool', content: 'x' },
    ];
    expect(record({ solution_str: undefined, messages }).solutionStr).toBe('last');
  });

  it('G-C: the judge is told of both kinds of metadata, and of no other extra info', () => {
    const both = { metadata: { channel: 'c' }, extra_info: { metadata: { product: 'p' }, provider: 'x', custom: 1 } };
    expect(judgeMetadata(record(both))).toEqual({ product: 'p', dataset_metadata: { channel: 'c' } });
    expect(judgeMetadata(record({ extra_info: { provider: 'x', score_min: '0', custom: 1 } }))).toBeNull();
    expect(mergedExtraInfo(record(both))).toEqual({ ...both.extra_info, dataset_metadata: { channel: 'c' } });
    expect(mergedExtraInfo(record({}))).toBeNull();
  });

  it('G-C: a preview is one line of at most 140 characters', () => {
    expect(previewText('x'.repeat(160))).toBe(`${'x'.repeat(137)}...`);
    expect(previewText(' a\n\tb ')).toBe('a b');
    expect(previewText(' ')).toBeNull();
  });
});

describe('a data set', () => {
  let path: string;
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'records-'));
    path = join(directory, 'd.jsonl');
  });

  afterEach(() => rm(directory, { recursive: true }));

  const load = async (text: string | Buffer): Promise<Awaited<ReturnType<typeof loadRecords>>> => {
    await writeFile(path, text);
    return loadRecords(path, 'R');
  };

  it.each([
    ['{"a": }\n', /d\.jsonl:1:7: bad JSON: Expecting value/],
    ['\n[1]\n', /d\.jsonl:2:1: .*a list/],
    ['', /no records/],
    ['\n\n', /no records/],
    ['{"rubric_id":"other","solution_str":"s"}', /no records for rubric 'R'/],
    ['{"rubric_id":"r"}\n{"rubric_id":"R","solution_str":""}', /2 problems[\s\S]*:1:1:[\s\S]*:2:1:/],
    [Buffer.from([0x7b, 0xff]), /UTF-8/],
  ])('C.2, G-C: %j is told with file and line', async (text, message) => {
    await expect(load(text)).rejects.toThrow(message);
  });

  it('H 10: ids match without regard to case, and bad records of other rubrics are only told', async () => {
    const { records, warnings } = await load(
      '\ufeff{"rubric_id":"r","solution_str":"é"}\n\n{"rubric_id":"x"}\r\n{"rubric_id":"R","solution_str":"2"}',
    );
    expect(records.map((one) => [one.line, one.solutionStr])).toEqual([
      [1, 'é'],
      [4, '2'],
    ]);
    expect(warnings).toMatchObject([{ line: 3 }]);
  });

  it('is read piece by piece: characters and lines across the pieces stay whole', async () => {
    const lines = Array.from({ length: 3000 }, (_, index) => JSON.stringify({ index, text: 'ü€😀'.repeat(40) }));
    await writeFile(path, lines.join('\n'));
    let count = 0;
    for await (const { value } of readJsonl(path)) expect(value.index).toBe(count++);
    expect(count).toBe(3000);
  });
});
