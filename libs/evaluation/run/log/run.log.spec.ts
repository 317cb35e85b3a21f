import { appendFileSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { DatasetFiles, collect } from '../../testing/dataset-files.js';
import type { DatasetRow } from '../../dataset/index.js';
import type { RunRecord } from '../run.record.js';
import type { RunIdentity } from './log.header.js';
import { finalRuns, readHeader, readLog } from './log.reader.js';
import { RunLog, type LogMode } from './run.log.js';

const files = new DatasetFiles();
afterAll(() => files.remove());

let count = 0;
const newPath = (): string => join(files.folder, `deep/log-${++count}.runs.jsonl`);

const identity: RunIdentity = {
  dataset: { sha256: 'abc', offset: 0 },
  agent: { name: 'adder', tools: 'x' },
  model: { provider: 'openai', model: 'm', base_url: 'u' },
  baseline: null,
  parameters: { n: 2, completion: { temperature: 1, top_p: 0.5 } },
  scorers: ['exact'],
};
const header = { started_at: '2026-01-02T03:04:05.000Z', identity, config: {} };
const open = (path: string, mode: LogMode = 'new', changed: Partial<RunIdentity> = {}): Promise<RunLog> =>
  RunLog.open(path, { ...header, identity: { ...identity, ...changed } }, mode);

const row = (index: number): DatasetRow => ({
  index,
  line: index + 1,
  values: { q: index },
  messages: [],
  groundTruth: '',
});
const record = (row_index: number, success = true, run_index = 0): RunRecord => ({
  row_index,
  run_index,
  model_tag: null,
  rollout_id: `eval-${row_index}-run-${run_index}`,
  success,
  finish_reason: 'stop',
  error: success ? null : 'no',
  failure: null,
  blame: success ? null : 'agent',
  reward: 1,
  scores: { exact: 1 },
  score_errors: {},
  score_reasons: {},
  duration_ms: 1,
  llm_latency_ms: 0,
  tool_latency_ms: 0,
  num_tool_calls: 0,
  max_context_tokens: 2,
  token_usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2, num_llm_calls: 1 },
  empty_answer: false,
  tries: 1,
  started_at: '2026-01-02T03:04:05.000Z',
  messages: [{ role: 'user', content: `q${row_index} | ; \n\u2028 "x"` }],
});

async function logged(path: string, ...records: readonly RunRecord[]): Promise<void> {
  const log = await open(path);
  for (const each of records) await log.append(each, row(each.row_index));
  await log.close('2026-01-02T03:05:05.000Z', 60_000, null);
}

describe('the result log', () => {
  it('has a header, each row once, each run as it was, and the end of each session (case DS-16: it round-trips)', async () => {
    const path = newPath();
    await logged(path, record(0), record(0, true, 1), record(3));
    const lines = (await collect(readLog(path))).map(({ line }) => line);
    expect(lines.map(({ type }) => type)).toEqual(['header', 'row', 'run', 'run', 'row', 'run', 'session']);
    expect(lines[2]).toEqual({ type: 'run', ...record(0) });
    expect((await readHeader(path)).identity).toEqual(identity);
    expect(statSync(path).mode & 0o077).toBe(0);
  });

  it('is on the disk when appending resolves', async () => {
    const path = newPath();
    const log = await open(path);
    await log.append(record(0), row(0));
    expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(4);
    await log.close('', 0, null);
  });

  it('many appends at once go to the disk together, none lost and none torn', async () => {
    const path = newPath();
    const log = await open(path);
    await Promise.all(Array.from({ length: 500 }, (_, index) => log.append(record(index), row(index))));
    await log.close('', 0, null);
    const runs = await collect(finalRuns(path));
    expect(runs.map(({ row_index }) => row_index).sort((a, b) => a - b)).toEqual([...Array(500).keys()]);
  });
});

describe('going on with a log', () => {
  it('ST-04: what succeeded is kept, what failed is made again; the counts add up', async () => {
    const path = newPath();
    await logged(path, record(0), record(1), record(2), record(3, false), record(4, false));
    const log = await open(path, 'resume');
    const keys = Array.from({ length: 10 }, (_, row_index) => ({ row_index, run_index: 0, model_tag: null }));
    expect(log.restored).toMatchObject({ retried: 2, durationMs: 60_000, startedAt: header.started_at });
    expect(log.restored.runs.map(({ row_index }) => row_index)).toEqual([0, 1, 2]);
    expect(keys.filter((key) => !log.isDone(key))).toHaveLength(7);
    await log.append(record(3), row(3));
    await log.close('', 500, null);
    const runs = await collect(finalRuns(path));
    expect(runs.map(({ row_index, success }) => [row_index, success])).toEqual([
      [0, true],
      [1, true],
      [2, true],
      [4, false],
      [3, true],
    ]);
  });

  it('cuts off what a killed process left half-written', async () => {
    const path = newPath();
    await logged(path, record(0));
    const { size } = statSync(path);
    appendFileSync(path, '{"type":"run","row_index":1,"run_in');
    const log = await open(path, 'resume');
    expect(log.restored.runs).toHaveLength(1);
    expect(statSync(path).size).toBe(size);
    await log.append(record(1), row(1));
    await log.close('', 0, null);
    expect(await collect(finalRuns(path))).toHaveLength(2);
  });

  it.each([0, 5])('begins where a process was killed before its header was whole (%d bytes)', async (bytes) => {
    const path = newPath();
    await logged(path);
    truncateSync(path, bytes);
    const log = await open(path, 'resume');
    expect(log.restored.runs).toEqual([]);
    await log.close('', 0, null);
    expect((await readHeader(path)).type).toBe('header');
  });

  it('refuses a log with a damaged line: no result is made up', async () => {
    const path = newPath();
    await logged(path, record(0), record(1));
    writeFileSync(path, readFileSync(path, 'utf8').replace('"row_index":1,"run_index"', '"row_index":1 "run_index"'));
    await expect(open(path, 'resume')).rejects.toThrow('line 5 is damaged');
    // And leaves no lock behind.
    await expect(open(path, 'resume')).rejects.toThrow('line 5 is damaged');
  });

  it.each([
    ['dataset', { dataset: { sha256: 'other', offset: 0 } }, 'dataset.sha256 was "abc", is "other"'],
    ['agent', { agent: { name: 'adder', tools: 'y' } }, 'agent.tools was "x", is "y"'],
    ['model', { model: { ...identity.model, model: 'n' } }, 'model.model was "m", is "n"'],
    ['baseline', { baseline: { model: 'b' } }, 'baseline was null, is {"model":"b"}'],
    [
      'parameters',
      { parameters: { n: 3, completion: { temperature: 0 } } },
      'parameters.n was 2, is 3; parameters.completion.temperature was 1, is 0; parameters.completion.top_p was 0.5, is not set',
    ],
    ['scorers', { scorers: ['exact', 'other'] }, 'scorers was ["exact"], is ["exact","other"]'],
  ])('refuses when the %s changed, and says how', async (_name, changed, message) => {
    const path = newPath();
    await logged(path, record(0));
    await expect(open(path, 'resume', changed)).rejects.toThrow(
      `Changed: ${message}. Give it another output, or begin anew`,
    );
  });

  it('does not mind another order of the same parameters', async () => {
    const path = newPath();
    await logged(path);
    const log = await open(path, 'resume', { parameters: { completion: { top_p: 0.5, temperature: 1 }, n: 2 } });
    await log.close('', 0, null);
  });
});

describe('a log that is there', () => {
  it('is not overwritten', async () => {
    const path = newPath();
    await logged(path, record(0));
    await expect(open(path)).rejects.toThrow('is there already. Go on with it (--resume), keep it aside (--fresh)');
  });

  it('is kept aside when begun anew, each time under another name', async () => {
    const path = newPath();
    await logged(path, record(0));
    for (let time = 0; time < 2; time++) await (await open(path, 'fresh')).close('', 0, null);
    expect(await collect(finalRuns(`${path}.1`))).toHaveLength(1);
    expect(await collect(finalRuns(`${path}.2`))).toHaveLength(0);
  });

  it('is used by one process at a time; the lock of a dead one is none', async () => {
    const path = newPath();
    const log = await open(path);
    await expect(open(path, 'resume')).rejects.toThrow(`is in use by process ${process.pid}`);
    await log.close('', 0, null);
    const dead = spawnSync(process.execPath, ['-e', 'process.stdout.write(String(process.pid))']).stdout.toString();
    const host = JSON.parse(spawnSync(process.execPath, ['-p', 'JSON.stringify(os.hostname())']).stdout.toString());
    writeFileSync(`${path}.lock`, JSON.stringify({ pid: Number(dead), host }));
    await (await open(path, 'resume')).close('', 0, null);
    writeFileSync(`${path}.lock`, JSON.stringify({ pid: 1, host: 'elsewhere' }));
    await expect(open(path, 'resume')).rejects.toThrow('is in use by process 1 on elsewhere');
  });

  it.each([
    '{"a":1}\n',
    '[]\n',
    'hello\n',
    '{"type":"run","row_index":0,"run_index":0,"success":true,"messages":[]}\n',
  ])('is not taken for one when it is something else: %j', async (text) => {
    const path = files.write('other.jsonl', text);
    await expect(open(path, 'resume')).rejects.toThrow(/line 1 is (none of a result log|damaged)/);
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it('that cannot be written is told', async () => {
    await expect(open(join(files.write('file', ''), 'x.runs.jsonl'))).rejects.toThrow('its folder cannot be made');
  });
});
