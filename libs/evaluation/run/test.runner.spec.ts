import type { INestApplicationContext } from '@nestjs/common';
import { Cancellation, OsmosisError } from '#domain';
import { ProviderRequestError, type ProviderFaultKind } from '#model';
import { agentApp } from '../testing/agent-app.js';
import { adder, AdderAgent, addingScript, DynamicAgent, echo, MoodyAgent } from '../testing/calculator.js';
import { DatasetFiles, jsonl, row } from '../testing/dataset-files.js';
import { ScriptedEvaluationModel } from './models/scripted.model.js';
import type { Script } from './models/script.js';
import type { RunProgress } from './progress.js';
import { TestRunner } from './test.runner.js';

const files = new DatasetFiles();
let app: INestApplicationContext;
let runner: TestRunner;

beforeAll(async () => {
  app = await agentApp(AdderAgent, DynamicAgent, MoodyAgent);
  runner = app.get(TestRunner);
});
afterAll(async () => {
  await app.close();
  files.remove();
});

const sums = (count: number): string =>
  jsonl(
    ...Array.from({ length: count }, (_, index) => row(`What is ${index} + 3?`, String(index + 3), { topic: 'sums' })),
  );
const write = (text: string): { path: string } => ({ path: files.write('rows.jsonl', text) });

/** Answers some calls, and fails all others as soon as so many of them are there. */
const faulty = (kind: ProviderFaultKind, answers = 0, together = 1): ScriptedEvaluationModel => {
  let calls = 0;
  let arrive = (): void => {};
  const allUnderWay = new Promise<void>((resolve) => (arrive = resolve));
  return new ScriptedEvaluationModel('scripted:faulty', async (request, turn) => {
    if (calls++ < answers) return addingScript(request, turn);
    if (calls === answers + together) arrive();
    await allUnderWay;
    throw new ProviderRequestError({ kind, provider: 'p', model: 'm', detail: `fault number ${calls}` });
  });
};

describe('testing an agent (spec F.5, F.6)', () => {
  it('runs every row through the engine: tools, rewards, figures of each row', async () => {
    const { runs, ...result } = await runner.run({ dataset: write(sums(3)), model: adder() });
    expect(result).toMatchObject({ passed: 3, failed: 0, stopReason: null, cost: null });
    expect(runs[1]).toMatchObject({
      row_index: 1,
      run_index: 0,
      model_tag: null,
      rollout_id: 'test-1',
      success: true,
      error: null,
      failure: null,
      finish_reason: 'stop',
      reward: 1,
      scores: { exact: 1 },
      num_tool_calls: 1,
      tries: 1,
    });
    expect(runs[1]?.token_usage).toMatchObject({ num_llm_calls: 2 });
    expect(runs[1]?.duration_ms).toBeGreaterThan(0);
    expect(result.summary.totalTokens).toBe(runs.reduce((sum, run) => sum + run.token_usage.total_tokens, 0));
  });

  it('asks for the tools once for each row, with the request of spec F.2', async () => {
    const tool = { type: 'function', function: { name: 'look', description: 'Looks', parameters: { type: 'object' } } };
    const extra = { topic: 'x', row_index: 99, test_mode: false, tools: [tool] };
    DynamicAgent.asked.length = 0;
    await runner.run({
      dataset: { ...write(jsonl(row('a'), row('b', '7', extra))), offset: 1 },
      agent: 'dynamic',
      model: echo(),
      limits: { completionParams: { temperature: 0.5 }, maxTurns: 3 },
    });
    expect(DynamicAgent.asked).toHaveLength(1);
    expect(DynamicAgent.asked[0]).toMatchObject({
      rolloutId: 'test-1',
      agent: 'dynamic',
      trainer: { url: 'http://local-rollout.local', apiKey: null },
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'b' },
      ],
      completionParams: { temperature: 0.5 },
      maxTurns: 3,
      idempotencyKey: null,
    });
    expect(DynamicAgent.asked[0]?.metadata).toEqual({
      topic: 'x',
      tools: [tool],
      ground_truth: '7',
      // Weakness H 23: no column replaces the row's own number.
      row_index: 1,
      execution_mode: 'test',
      test_mode: true,
    });
  });

  it.each([
    [{ function: { description: 'd', parameters: { type: 'object' } } }, 'each entry must be'],
    [{ function: { name: 'a b', description: 'd' } }, 'the name "a b" is not legal for model APIs'],
    [
      { function: { name: 'a', description: 'd', parameters: { type: 'array' } } },
      "the parameters of 'a' have the type",
    ],
  ])('a tool that cannot be offered fails its row: %j', async (tool, message) => {
    const dataset = write(jsonl(row('a', '1', { tools: [{ type: 'function', ...tool }] }), row('b')));
    const { runs } = await runner.run({ dataset, agent: 'dynamic', model: echo() });
    expect(runs[0]?.error).toContain(message);
    expect(runs[1]?.success).toBe(true);
  });

  it('columns that are too large to be metadata fail their row', async () => {
    const dataset = write(jsonl(row('a', '1', { blob: 'x'.repeat(1_048_576) }), row('b')));
    const { runs } = await runner.run({ dataset, agent: 'dynamic', model: echo() });
    expect(runs[0]?.error).toMatch(/The extra columns of row 0 have \d+ bytes/);
    expect(runs[1]?.success).toBe(true);
  });

  it('rows are numbered by their place in the file', async () => {
    const { runs } = await runner.run({ dataset: { ...write(sums(60)), offset: 50, limit: 3 }, model: adder() });
    expect(runs.map(({ row_index, rollout_id }) => [row_index, rollout_id])).toEqual([
      [50, 'test-50'],
      [51, 'test-51'],
      [52, 'test-52'],
    ]);
  });

  it('one failing row does not stop the others, and says why', async () => {
    const dataset = write(jsonl(row('say 1'), row('throw now'), row('error now'), row('say 2')));
    const { runs, passed, failed, summary } = await runner.run({ dataset, agent: 'moody', model: echo() });
    expect([passed, failed, summary.failures]).toEqual([2, 2, { agent: 2 }]);
    expect(runs.map(({ error, blame }) => [error, blame])).toEqual([
      [null, null],
      ['the agent is in a mood', 'agent'],
      ['the agent gave up', 'agent'],
      [null, null],
    ]);
    // What the failed row has used is not lost (weakness H 24).
    expect(runs[2]?.token_usage.num_llm_calls).toBe(1);
  });

  it('a reward that gives no number is an error of the reward; the row is sound', async () => {
    const [run] = (await runner.run({ dataset: write(jsonl(row('say bad'))), agent: 'moody', model: echo() })).runs;
    expect(run).toMatchObject({ success: true, reward: null, scores: { score: null } });
    expect(run?.score_errors['score']).toContain('must give a finite number, but gave NaN');
  });

  it('runs side by side, never more than allowed, a slow row holding up none', async () => {
    let [running, most] = [0, 0];
    const order: number[] = [];
    let release = (): void => {};
    const others = new Promise<void>((resolve) => (release = resolve));
    let arrive = (): void => {};
    const threeUnderWay = new Promise<void>((resolve) => (arrive = resolve));
    const model = new ScriptedEvaluationModel('scripted:slow', async ({ messages }) => {
      most = Math.max(most, ++running);
      if (running === 3) arrive();
      await threeUnderWay;
      const number = Number(String(messages.at(-1)?.content).split(' ')[1]);
      // A pool that waited for the slow row would never come to the row that ends it.
      await (number === 0 ? others : new Promise((resolve) => setTimeout(resolve, 5)));
      running--;
      if (order.push(number) === 11) release();
      return String(number);
    });
    const rows = Array.from({ length: 12 }, (_, index) => row(`say ${index}`));
    const result = await runner.run({ dataset: write(jsonl(...rows)), agent: 'moody', model, concurrency: 3 });
    expect(most).toBe(3);
    expect(order.at(-1)).toBe(0);
    expect(result.runs.map(({ row_index }) => row_index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  });

  it('tells its progress after each row', async () => {
    const progress: RunProgress[] = [];
    const dataset = write(jsonl(row('say 1'), row('throw'), row('say 2')));
    await runner.run({
      dataset,
      agent: 'moody',
      model: echo(),
      concurrency: 1,
      onProgress: (each) => progress.push(each),
    });
    expect(
      progress.map(({ done, total, passed, failed, failures }) => [done, total, passed, failed, failures]),
    ).toEqual([
      [1, 3, 1, 0, {}],
      [2, 3, 1, 1, { agent: 1 }],
      [3, 3, 2, 1, { agent: 1 }],
    ]);
  });

  it('a swallowed fault of the provider does not look like an answer', async () => {
    const dataset = write(jsonl(row('swallow it'), row('say 2')));
    const result = await runner.run({ dataset, agent: 'moody', model: faulty('authentication'), concurrency: 1 });
    expect(result.runs).toHaveLength(1);
    expect(result.stopReason).toContain('fault number 1');
  });
});

describe('faults of the provider', () => {
  it.each(['authentication', 'quota', 'connection', 'not_found', 'permission'] as const)(
    '%s stops the run; finished rows are kept, with the one that met it',
    async (kind) => {
      const result = await runner.run({ dataset: write(sums(20)), model: faulty(kind, 4), concurrency: 1 });
      expect([result.passed, result.failed]).toEqual([2, 1]);
      expect(result.stopReason).toContain('fault number 5');
      expect(result.runs[2]).toMatchObject({ row_index: 2, blame: 'environment' });
    },
  );

  it('20 rows, three at once: exactly three runs, stopped early (spec G-F)', async () => {
    const result = await runner.run({
      dataset: write(sums(20)),
      model: faulty('authentication', 0, 3),
      concurrency: 3,
    });
    expect(result.runs).toHaveLength(3);
    expect(result.stopReason).not.toBeNull();
  });

  it('on the last row it is no early stop (spec G-F)', async () => {
    const result = await runner.run({ dataset: write(sums(1)), model: faulty('authentication') });
    expect([result.failed, result.stopReason]).toEqual([1, null]);
  });

  it.each(['content_filter', 'context_length', 'parameter', 'refused'] as const)(
    '%s fails one row only',
    async (kind) => {
      const result = await runner.run({ dataset: write(sums(3)), model: faulty(kind) });
      expect([result.failed, result.stopReason]).toEqual([3, null]);
      const agents = kind === 'content_filter' || kind === 'context_length';
      expect(result.runs[0]?.blame).toBe(agents ? 'agent' : 'environment');
    },
  );

  it('what passes is tried again, and all tokens are counted', async () => {
    let calls = 0;
    const script: Script = (request, turn) => {
      if (++calls === 2) throw new ProviderRequestError({ kind: 'server', provider: 'p', model: 'm', detail: '503' });
      return addingScript(request, turn);
    };
    const { runs } = await runner.run({ dataset: write(sums(1)), model: new ScriptedEvaluationModel('s', script) });
    expect(runs[0]).toMatchObject({ success: true, tries: 2, token_usage: { num_llm_calls: 3 } });
  });

  it('the model is asked for a word first; a fault that all rows would meet is told before them', async () => {
    const model = echo();
    model.preflight = async () => {
      throw new ProviderRequestError({ kind: 'authentication', provider: 'p', model: 'm', detail: 'no' });
    };
    const onStart = jest.fn();
    await expect(runner.run({ dataset: write(sums(2)), model, onStart })).rejects.toThrow(
      "Provider 'p', model 'm': no",
    );
    expect(onStart).not.toHaveBeenCalled();
    await expect(runner.run({ dataset: write(sums(2)), model, preflight: false })).resolves.toBeDefined();
  });
});

describe('what stops a test before its first call', () => {
  it.each([
    ['a broken row, wherever it is', { text: `${sums(5)}{"x":1}\n` }, 'rows.jsonl:6: row 5: missing ground_truth'],
    ['no rows', { text: '\n' }, 'there are no rows'],
    ['an unknown agent', { text: sums(1), agent: 'nobody' }, "Agent 'nobody' not found"],
    ['a bad concurrency', { text: sums(1), concurrency: 0 }, 'concurrency must be a whole number from 1, not 0'],
    ['bad turns', { text: sums(1), limits: { maxTurns: 0 } }, 'max-turns must be a whole number from 1, not 0'],
  ])('%s', async (_name, { text, ...options }, message) => {
    const script = jest.fn(addingScript);
    const model = new ScriptedEvaluationModel('scripted:spy', script);
    await expect(runner.run({ dataset: write(text), model, ...options })).rejects.toThrow(message);
    expect(script).not.toHaveBeenCalled();
  });
});

describe('ending a test early', () => {
  it('a cancellation keeps what is finished, and gives up what is under way', async () => {
    const cancellation = new Cancellation();
    let calls = 0;
    const script: Script = async () => {
      if (++calls === 3) cancellation.cancel(new OsmosisError('CANCELLED', 'Interrupted.'));
      return '1';
    };
    const model = new ScriptedEvaluationModel('scripted:cancelled', script);
    const rows = Array.from({ length: 10 }, () => row('say 1'));
    const result = await runner.run({
      dataset: write(jsonl(...rows)),
      agent: 'moody',
      model,
      concurrency: 1,
      cancellation,
    });
    expect(result.runs.map(({ row_index }) => row_index)).toEqual([0, 1]);
    expect(result.stopReason).toBe('Interrupted.');
  });

  it('a row that takes too long is cut off, by its class', async () => {
    const model = new ScriptedEvaluationModel('scripted:hangs', () => new Promise(() => {}));
    const { runs } = await runner.run({ dataset: write(sums(1)), model, limits: { timeoutMs: 50 } });
    expect(runs[0]).toMatchObject({ success: false, failure: { class: 'deadline' }, blame: 'agent' });
  });
});
