import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Test } from '@nestjs/testing';
import { Cancellation, OsmosisError } from '#domain';
import { ChatModels, MissingApiKeyError, ModelModule } from '#model';
import { chatReply, errorReply, FakeProvider, type FakeReply } from '../../model/testing/fake-provider.js';
import { RubricModule } from '../rubric.module.js';
import { RubricService } from '../rubric.service.js';
import { RubricSession, type RubricSessionRequest } from './rubric.session.js';
import { classicScorer } from './scorers.js';
import { histogram, scoreStatistics } from './run.statistics.js';
import { reportFolder } from './output.path.js';
import type { ScorerInput } from './run.types.js';

let fake: FakeProvider;
let directory: string;
let session: RubricSession;
let close: () => Promise<void>;

beforeEach(async () => {
  fake = await FakeProvider.start();
  directory = await mkdtemp(join(tmpdir(), 'session-'));
  const app = await Test.createTestingModule({
    imports: [
      ModelModule.forRoot({ env: { MY_KEY: 'SECRET-9c1b' }, retry: { maxRetries: 0 } }),
      RubricModule.forRoot({}),
    ],
  }).compile();
  session = new RubricSession(app.get(RubricService), app.get(ChatModels), join(directory, 'cache'));
  close = () => app.close();
  await config();
  await data({ id: 'one', conversation_id: 'c1' }, {});
});

afterEach(async () => {
  await close();
  await fake.stop();
  await rm(directory, { recursive: true });
});

function verdict(score: number): FakeReply {
  return chatReply(JSON.stringify({ score, explanation: `said ${score}` }));
}

/** The n-th request gets the n-th score. */
function scores(...list: readonly number[]): void {
  fake.behave((_, index) => verdict(list[index % list.length] ?? 0));
}

async function config(more = ''): Promise<void> {
  const model = `{provider: openai, model: judge, base_url: "${fake.url}", api_key_env: MY_KEY, system_prompt: second}`;
  const entry = `{id: My Rubric/ID, rubric: Be kind., system_prompt: first, ground_truth: from config, model_info: ${model}${more}}`;
  await writeFile(join(directory, 'rubric_configs.yaml'), `version: 1\nrubrics: [${entry}]\n`);
}

async function data(...records: readonly object[]): Promise<void> {
  const lines = records.map((record) =>
    JSON.stringify({ rubric_id: 'my rubric/id', solution_str: 'Hello!', ...record }),
  );
  await writeFile(join(directory, 'd.jsonl'), lines.join('\n'));
}

function run(more: Partial<RubricSessionRequest> = {}): ReturnType<RubricSession['run']> {
  const fixed = { rubricId: ' My Rubric/ID ', dataPath: 'd.jsonl', directory, identifier: '12345', concurrency: 1 };
  return session.run({ ...fixed, ...more });
}

async function report(path: string): Promise<Record<string, unknown>> {
  return JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>;
}

describe('a session', () => {
  it('G-D: judges each record n times and writes the report with the keys of C.8', async () => {
    scores(0.5, 0.6);
    const { start, verdict: end } = await run({ number: 2, output: 'out' });
    expect(start.outputPath).toBe(join(directory, 'out', 'rubric_eval_result_12345.json'));
    const written = await report(start.outputPath);
    expect(Object.keys(written)).toEqual([
      'generated_at',
      'rubric_id',
      'rubric_source',
      'provider',
      'model',
      'number',
      'config_path',
      'data_path',
      'overall_statistics',
      'records',
      'output_identifier',
    ]);
    expect(written).toMatchObject({
      provider: 'openai',
      model: 'judge',
      output_identifier: '12345',
      generated_at: expect.stringMatching(/\+00:00$/),
      overall_statistics: { average: 0.55, max: 0.6, total_runs: 4, success_count: 4, failure_count: 0 },
      records: [
        { id: 'one', record_index: 1, conversation_id: 'c1', input_record: { solution_str: 'Hello!' } },
        { id: 'record[2]', conversation_id: 'record[2]' },
      ],
    });
    const [first] = written.records as { runs: Record<string, unknown>[]; statistics: { variance: number } }[];
    expect(first?.statistics.variance).toBeCloseTo(0.0025);
    expect(Object.keys(first?.runs[0] ?? {}).sort()).toEqual([
      'completed_at',
      'duration_seconds',
      'error',
      'explanation',
      'preview',
      'raw',
      'run_index',
      'score',
      'started_at',
      'status',
    ]);
    expect(end).toEqual({ outcome: 'passed', passed: true, reason: '' });
    expect(await readdir(join(directory, 'out'))).toEqual(['rubric_eval_result_12345.json']);
  });

  it('G-C: the judge gets both system prompts, the config’s first, and the config’s ground truth', async () => {
    scores(1);
    await run();
    const [system, user] = fake.seen[0]?.body.messages as { content: string }[];
    expect(system?.content).toMatch(/^first\n\nsecond\n\n/);
    expect(user?.content).toContain('from config');
  });

  it('G-C: the report goes to the cache by default, and a second one does not overwrite it (H 11)', async () => {
    scores(1);
    const paths = [(await run()).start.outputPath, (await run()).start.outputPath];
    const folder = join(directory, 'cache', 'my_rubric_id');
    expect(paths).toEqual([
      join(folder, 'rubric_eval_result_12345.json'),
      join(folder, 'rubric_eval_result_12345-2.json'),
    ]);
    expect(reportFolder(' // ')).toBe('rubric');
  });

  it('G-D, H 13: a path with letters after a dot is a file, any other a directory', async () => {
    scores(1);
    const file = await run({ output: 'reports/custom_output.txt' });
    expect(file.start.outputPath).toBe(join(directory, 'reports/custom_output.txt'));
    expect(file.report).not.toHaveProperty('output_identifier');
    expect((await run({ output: 'results.v1' })).start.outputPath).toContain('results.v1/rubric_eval_result_');
    await mkdir(join(directory, 'report.json'));
    await expect(run({ output: 'report.json' })).rejects.toThrow(/is a directory/);
  });

  it('RJ-06: a judge’s fault is counted, and stays out of the mean', async () => {
    fake.behave((seen, index) => (index === 0 ? verdict(0.8) : chatReply('I cannot.')));
    const { report: written, verdict: end } = await run();
    expect(written.overall_statistics).toMatchObject({ average: 0.8, success_count: 1, failure_count: 1 });
    expect(written.records[1]?.runs[0]).toMatchObject({
      status: 'error',
      score: null,
      preview: 'Hello!',
      error: expect.stringContaining('not valid JSON'),
    });
    expect(end.passed).toBe(true);
  });

  it('H 12: a session in which nothing was scored has failed; the report is written all the same', async () => {
    fake.behave([errorReply(500, 'down')]);
    const { verdict: end, start } = await run();
    expect(end).toMatchObject({ outcome: 'all_failed', passed: false });
    expect(await report(start.outputPath)).toMatchObject({ overall_statistics: { average: 0, failure_count: 2 } });
  });

  it('gates by the mean', async () => {
    scores(0.5);
    expect((await run({ minMean: 0.5 })).verdict.passed).toBe(true);
    expect((await run({ minMean: 0.6 })).verdict).toMatchObject({
      outcome: 'below_min_mean',
      reason: 'The mean 0.5000 is below the required 0.6.',
    });
  });

  it('G-D: compares with a baseline', async () => {
    await writeFile(
      join(directory, 'base.json'),
      JSON.stringify({ overall_statistics: { average: 0.5, variance: 0.0025, stdev: 'x' } }),
    );
    scores(0.6, 0.7);
    const { report: written } = await run({ baselinePath: 'base.json' });
    expect(written.baseline_comparison?.source_path).toBe(join(directory, 'base.json'));
    expect(written.baseline_comparison?.delta_statistics.average).toBeCloseTo(0.15);
    expect(written.baseline_comparison?.delta_statistics.variance).toBeCloseTo(0);
  });

  it.each([
    ['missing.json', null, /does not exist/],
    ['.', null, /directory/],
    ['b.json', '{', /bad JSON/],
    ['b.json', '[]', /must be a JSON object/],
    ['b.json', '{"average":1}', /neither/],
    ['b.json', '{"average":"a","variance":"b","stdev":"c"}', /none of them is a number/],
  ])('G-C: a baseline %s with %s is refused before anything is sent', async (path, text, message) => {
    if (text !== null) await writeFile(join(directory, path), text);
    await expect(run({ baselinePath: path })).rejects.toThrow(message);
    expect(fake.seen).toHaveLength(0);
  });

  it('CL-24: a report that could not be written is told of before anything is sent', async () => {
    await writeFile(join(directory, 'taken'), '');
    await expect(run({ output: 'taken' })).rejects.toThrow(/cannot be written.*Choose another place/);
    await expect(run({ output: 'taken/deep/r.json' })).rejects.toThrow(/cannot be written/);
    expect(fake.seen).toHaveLength(0);
  });

  it.each<[Partial<RubricSessionRequest>, RegExp]>([
    [{ rubricId: ' ' }, /not named/],
    [{ number: 0, dataPath: 'none' }, /number must be/],
    [{ number: -1 }, /number must be/],
    [{ concurrency: 0 }, /concurrency/],
    [{ dataPath: 'none.jsonl' }, /none\.jsonl.*does not exist/],
    [{ rubricId: 'other' }, /'other'.*My Rubric\/ID/],
    [{ configPath: 'none.yaml' }, /none\.yaml.*does not exist/],
  ])('G-D: %j is refused, in the order of the reference', async (more, message) => {
    await expect(run(more)).rejects.toThrow(message);
  });

  it('G-D: a missing key is told before the data is read, and nothing is written', async () => {
    await writeFile(join(directory, 'd.jsonl'), 'no JSON');
    const path = join(directory, 'rubric_configs.yaml');
    await writeFile(path, (await readFile(path, 'utf8')).replace('MY_KEY', 'OTHER_KEY'));
    await expect(run({ output: 'out' })).rejects.toThrow(MissingApiKeyError);
    await expect(run()).rejects.toThrow(/OTHER_KEY/);
    expect(await readdir(directory)).not.toContain('out');
  });

  it('judges so many at once as allowed, tells of each, and keeps the order', async () => {
    await data(...Array.from({ length: 9 }, (_, index) => ({ id: `r${index}` })));
    fake.behave((_, index) => ({ ...verdict(index / 10), delayMs: 80 - index * 5 }));
    const seen: number[] = [];
    const { report: written } = await run({ concurrency: 3, onProgress: ({ done }) => void seen.push(done) });
    expect(fake.peak).toBe(3);
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(written.records.map((record) => record.id)).toEqual(Array.from({ length: 9 }, (_, index) => `r${index}`));
  });

  it('redacts: numbers and errors only, no texts', async () => {
    scores(0.5);
    const { start } = await run({ redact: true });
    const text = await readFile(start.outputPath, 'utf8');
    expect(text).toContain('"score": 0.5');
    expect(text).not.toMatch(/Hello!|said 0\.5|chatcmpl/);
  });

  it('AU-05: no key is in the report', async () => {
    await data({ extra_info: { api_key: 'SECRET-7f3a' } });
    fake.behave([errorReply(401, 'no: SECRET-9c1b')]);
    expect(await readFile((await run()).start.outputPath, 'utf8')).not.toContain('SECRET');
  });
});

describe('a session that is broken off', () => {
  it('H 11: is reported, and taken up where it ended', async () => {
    await data({ id: 'a' }, { id: 'b' }, { id: 'c' }, { id: 'd' });
    const cancellation = new Cancellation();
    fake.behave((_, index) => (index < 2 ? verdict(0.5) : { ...verdict(0.9), delayMs: 5000 }));
    const broken = await run({
      cancellation,
      onProgress: ({ done }) => {
        if (done === 2) setTimeout(() => cancellation.cancel(new OsmosisError('CANCELLED', 'Ctrl-C')), 20);
      },
    });
    expect(broken.verdict.outcome).toBe('interrupted');
    expect(broken.report.overall_statistics).toMatchObject({ total_runs: 2, average: 0.5 });

    // As a crash in the middle of a write would leave it.
    await appendFile(`${broken.start.outputPath}.partial.jsonl`, '{"record":3,"run":{"status":"succ');
    scores(0.7);
    const resumed = await run({ resume: true, identifier: 'later' });
    expect(resumed.start).toMatchObject({ resumedRuns: 2, outputPath: broken.start.outputPath });
    expect(fake.seen).toHaveLength(2);
    expect(resumed.report.overall_statistics).toMatchObject({ total_runs: 4, average: 0.6 });
    expect(await readdir(join(directory, 'cache', 'my_rubric_id'))).toEqual(['rubric_eval_result_12345.json']);
  });

  it('is not taken up with another rubric; without resume the session begins anew', async () => {
    const journal = join(directory, 'r.json.partial.jsonl');
    await writeFile(journal, '{"fingerprint":"of another"}\n');
    await expect(run({ output: 'r.json', resume: true })).rejects.toThrow(/belongs to another/);
    scores(0.5);
    expect((await run({ output: 'r.json' })).start.resumedRuns).toBe(0);
    expect(await readdir(directory)).not.toContain('r.json.partial.jsonl');
  });
});

describe('a scorer of one’s own', () => {
  it('G-C: a classic function gets solution, ground truth and the extra info of C.4', async () => {
    await config(', score_min: 0, score_max: 2');
    await data({
      extra_info: { capture_details: true, metadata: { product: 'p' }, api_key: 'x' },
      metadata: { channel: 'c' },
    });
    const calls: unknown[] = [];
    const scorer = classicScorer((solutionStr, groundTruth, extraInfo) => {
      calls.push([solutionStr, groundTruth, extraInfo]);
      return Promise.resolve(1.5);
    });
    const { report: written } = await run({ scorer });
    expect(written.overall_statistics.average).toBe(1.5);
    expect(fake.seen).toHaveLength(0);
    expect(calls).toEqual([
      [
        'Hello!',
        'from config',
        expect.objectContaining({
          provider: 'openai',
          model: 'judge',
          api_key_env: 'MY_KEY',
          rubric: 'Be kind.',
          score_min: 0,
          score_max: 2,
          system_prompt: 'first',
          capture_details: true,
          metadata: { product: 'p', dataset_metadata: { channel: 'c' } },
          dataset_metadata: { channel: 'c' },
          model_info: expect.objectContaining({ model: 'judge', api_key_env: 'MY_KEY' }),
        }),
      ],
    ]);
    expect((calls as [unknown, unknown, object][])[0]?.[2]).not.toHaveProperty('api_key');
  });

  it('H 11, H 12: without a number it has failed; what has no JSON form spoils no report', async () => {
    const results: unknown[] = [{ score: 0.5, raw: { big: 1n }, preview: ' a\nb ' }, 'text'];
    const scorer = (_: ScorerInput): never => results.shift() as never;
    const { report: written } = await run({ scorer });
    expect(written.records[0]?.runs[0]).toMatchObject({
      score: 0.5,
      preview: 'a b',
      raw: expect.stringContaining('object'),
    });
    expect(written.records[1]?.runs[0]).toMatchObject({
      status: 'error',
      score: null,
      error: expect.stringMatching(/number/),
    });
  });
});

describe('statistics', () => {
  it('C.3: population figures; all 0 for nothing', () => {
    expect(scoreStatistics([0.5, 0.6]).variance).toBeCloseTo(0.0025);
    expect(scoreStatistics([])).toEqual({ average: 0, variance: 0, stdev: 0, min: 0, max: 0 });
  });

  it('a histogram counts each score once, both ends included', () => {
    expect(histogram([0, 0.05, 0.1, 0.95, 1], 0, 1).map((bin) => bin.count)).toEqual([2, 1, 0, 0, 0, 0, 0, 0, 0, 2]);
  });
});
