import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chatReply, errorReply } from '../libs/model/testing/fake-provider.js';
import { AGENT_SOURCE } from './support/cli.js';
import {
  addingModel,
  answers,
  calculatorProject,
  jsonl,
  lastMessage,
  row,
  runTest,
  startTest,
  sums,
  TestModel,
} from './support/evaluation-project.js';
import { until } from './support/init.js';

jest.setTimeout(120_000);
const model = TestModel.forSuite();

interface Results {
  readonly config: Record<string, unknown>;
  readonly summary: Record<string, unknown>;
  readonly results: readonly Record<string, unknown>[];
}

const resultsIn = (cwd: string, name = 'out.json'): Results =>
  JSON.parse(readFileSync(join(cwd, name), 'utf8')) as Results;

/** Durations differ from run to run. */
const still = (text: string): string =>
  text
    .replace(/\d+(\.\d+)?m?s\b/g, 'T')
    .replace(/ +\|/g, ' |')
    .replace(/-{2,}/g, '--');

/** An agent whose questions say how it ends. */
const MOODY = `
import { Agent, Reward, type RolloutContext } from 'nestjs-osmosis';
@Agent({ name: 'moody', tools: [] })
export class MoodyAgent {
  async run(ctx: RolloutContext) {
    const question = String(ctx.request.messages.at(-1)?.content);
    console.log('thinking about', question);
    if (question.startsWith('throw')) throw new Error('in a mood:\\n\\u001b[2Jwhat a day');
    if (question.startsWith('give up')) return ctx.error('no idea');
    if (question.startsWith('hang')) await new Promise(() => {});
    const { message } = await ctx.chat([...ctx.request.messages]);
    return ctx.complete([...ctx.request.messages, message]);
  }
  @Reward() exact(solution: string, truth: string): number { return solution === truth ? 1 : 0; }
}
`;
const moody = (...rows: readonly unknown[]): string =>
  calculatorProject({ 'moody.ts': MOODY, 'moody.jsonl': jsonl(rows), 'yes.jsonl': '{"answers":["yes"]}\n' });
const MOODY_ARGS = ['-m', 'moody.ts', '-d', 'moody.jsonl', '--model', 'scripted:yes.jsonl'];

describe('osmosis test (spec D.10, F.6)', () => {
  it('runs every row: what is run, a line a row, and the results; exit code 0', async () => {
    const { code, stdout, stderr } = await runTest(calculatorProject(), ['-c', '1']);
    expect({ code, stderr: still(stderr) }).toEqual({
      code: 0,
      stderr: `osmosis-rollout-test v0.1.0
Model: scripted:answers.jsonl
Agent: calculator (agent.ts:CalculatorAgent)
Tools: 1 (add)
Dataset: rows.jsonl, 4 rows
4 runs, 1 at once

[1/4] Row 0: OK (T, 66 tokens)
[2/4] Row 1: OK (T, 66 tokens)
[3/4] Row 2: OK (T, 66 tokens)
[4/4] Row 3: OK (T, 66 tokens)
`,
    });
    expect(still(stdout)).toBe(`Rows
Row | Result | Reward | Calls | Tools | Tokens | Duration
--+--+--+--+--+--+--
0 | OK | 1 | 2 | 1 | 66 | T
1 | OK | 1 | 2 | 1 | 66 | T
2 | OK | 1 | 2 | 1 | 66 | T
3 | OK | 1 | 2 | 1 | 66 | T

Rewards
Reward | Mean | Min | Max | Scored | Errors
--+--+--+--+--+--
exact | 1 | 1 | 1 | 4 | 0

Total: 4
Passed: 4
Failed: 0
Duration: T
Total tokens: 264
`);
  });

  it('G-F: a failing row does not stop the others; failures by class; exit code 1; nothing of them steers a terminal', async () => {
    const cwd = moody(
      row('a', 'yes'),
      row('throw now', '1'),
      row('give up', '1'),
      row('throw again', '1'),
      row('b', '1'),
    );
    const { code, stdout, stderr } = await runTest(cwd, [...MOODY_ARGS, '-c', '1', '-o', 'deep/out.json']);
    expect(code).toBe(1);
    expect(stderr).toContain('Error: 3 of 5 rows failed.\n');
    expect(still(stderr)).toContain('[2/5] Row 1: FAILED (T, 0 tokens) - in a mood: \\x1b[2Jwhat a day\n');
    expect(stdout).toContain(`Failures
3 × agent
    row 1 and 1 more: in a mood:
    \\x1b[2Jwhat a day
    row 2: no idea
`);
    expect(stdout).toMatch(/Passed: 2\nFailed: 3 \(agent: 3\)\n/);
    expect(stdout + stderr).not.toContain('\u001b');
    const { summary, results } = resultsIn(cwd, 'deep/out.json');
    expect(summary).toMatchObject({
      total: 5,
      passed: 2,
      failed: 3,
      failures_by_class: { agent: 3 },
      stopped_early: false,
    });
    expect(results.map(({ success, error, reward }) => [success, error, reward])).toEqual([
      [true, null, 1],
      [false, 'in a mood:\n\u001b[2Jwhat a day', null],
      [false, 'no idea', null],
      [false, 'in a mood:\n\u001b[2Jwhat a day', null],
      [true, null, 0],
    ]);
  });

  it('--json: one document on stdout, whatever the agent prints; errors in the envelope', async () => {
    const good = await runTest(moody(row('a', 'yes')), [...MOODY_ARGS, '--json']);
    expect({ code: good.code, stderr: good.stderr }).toEqual({ code: 0, stderr: 'thinking about a\n' });
    const { data, ...envelope } = JSON.parse(good.stdout) as { data: Results };
    expect(envelope).toEqual({ schemaVersion: 1, ok: true, command: 'test' });
    expect(data.config).toMatchObject({
      agent: 'moody',
      model: { name: 'scripted:yes.jsonl' },
      dataset: { path: 'moody.jsonl' },
      max_turns: 10,
      concurrency: 4,
    });
    expect(data.results).toMatchObject([{ row_index: 0, success: true, reward: 1, finish_reason: 'stop' }]);
    const bad = await runTest(moody(row('give up', '1')), [...MOODY_ARGS, '--json']);
    expect(JSON.parse(bad.stdout)).toMatchObject({
      ok: false,
      error: { code: 'ROWS_FAILED', exitCode: 1, details: { summary: { failed: 1 } } },
    });
  });

  it('--quiet: the results and nothing else', async () => {
    const { code, stdout, stderr } = await runTest(calculatorProject(), ['-q']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('Passed: 4\n');
  });

  it('G-F: rows keep the numbers of the file: --offset 50 --limit 3', async () => {
    const cwd = calculatorProject({ 'rows.jsonl': jsonl(sums(60)), 'answers.jsonl': jsonl(answers(60)) });
    const { code, stderr } = await runTest(cwd, ['--offset', '50', '--limit', '3', '-c', '1', '-o', 'out.json']);
    expect(code).toBe(0);
    expect(stderr.match(/\[\d\/3\] Row \d+: OK/g)).toEqual([
      '[1/3] Row 50: OK',
      '[2/3] Row 51: OK',
      '[3/3] Row 52: OK',
    ]);
    expect(resultsIn(cwd).results.map(({ row_index }) => row_index)).toEqual([50, 51, 52]);
  });

  it.each([
    ['standard input', '-', undefined],
    ['CSV under other names', 'd.csv', 'q,s,a\nWhat is 0 + 3?,x,3\n'],
    ['a list in a JSON file', 'd.json', JSON.stringify(sums(1))],
  ])('reads %s', async (_name, path, text) => {
    const cwd = calculatorProject(text === undefined ? {} : { [path]: text });
    const columns = path === 'd.csv' ? ['--columns', 'user_prompt=q,system_prompt=s,ground_truth=a'] : [];
    const cli = startTest(cwd, ['-d', path, ...columns]);
    cli.child.stdin?.end(jsonl(sums(1)));
    expect(await cli.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('Passed: 1\n') });
  });

  it('DS-01: a byte order mark costs no row', async () => {
    const { code, stdout } = await runTest(calculatorProject({ 'rows.jsonl': `\ufeff${jsonl(sums(4))}` }));
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('Passed: 4\n') });
  });

  it('a dataset that cannot be used is told before the first call', async () => {
    const cwd = calculatorProject({ 'rows.jsonl': jsonl([...sums(2), { user_prompt: 'x' }]) });
    const { code, stdout, stderr } = await runTest(cwd, ['--json', ...model.options]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({
      error: { code: 'DATASET_INVALID', message: expect.stringContaining('rows.jsonl:3: row 2: missing ground_truth') },
    });
    expect(model.fake.seen).toHaveLength(0);
    // What lies behind the window is not looked at (weakness H 23).
    expect((await runTest(cwd, ['--limit', '2'])).code).toBe(0);
  });

  it('results go to a pipe that ends early without an error (case CL-14)', async () => {
    const cli = startTest(calculatorProject());
    cli.child.stdout?.destroy();
    expect((await cli.ended).code).toBe(0);
  });
});

describe('models', () => {
  it('G-D: a base URL takes any name, shown as typed; parameters go along, keys by their variable', async () => {
    const cwd = calculatorProject();
    const args = [
      '--model',
      'Qwen/Qwen3-0.6B',
      '--base-url',
      model.fake.url,
      '--api-key-env',
      'MY_KEY',
      '-o',
      'out.json',
    ];
    const sampling = ['--temperature', '0.5', '--max-tokens', '64'];
    const { code, stdout, stderr } = await runTest(cwd, [...args, ...sampling], { env: { MY_KEY: 'sk-very-secret' } });
    expect(code).toBe(0);
    expect(stderr).toContain('Model: Qwen/Qwen3-0.6B\n');
    expect(model.asked).toHaveLength(8);
    expect(model.asked[0]).toMatchObject({
      path: '/v1/chat/completions',
      headers: { authorization: 'Bearer sk-very-secret' },
      body: { model: 'Qwen/Qwen3-0.6B', temperature: 0.5, max_tokens: 64, tools: [{ function: { name: 'add' } }] },
    });
    expect(stdout + stderr + readFileSync(join(cwd, 'out.json'), 'utf8')).not.toContain('very-secret');
  });

  it('sampling parameters are sent only when given', async () => {
    await runTest(calculatorProject(), [...model.options]);
    expect(Object.keys(model.asked[0]?.body ?? {}).sort()).toEqual(['messages', 'model', 'tools']);
  });

  it.each([
    [['--model', 'gpt-5-mini'], 3, 'the environment variable OPENAI_API_KEY is not set'],
    [['--model', 'nope/x'], 3, "Unknown model provider 'nope'"],
    [['--model', ''], 3, 'The model is not named'],
    [['--model', 'scripted:nope.jsonl'], 1, 'nope.jsonl: there is no such file'],
    [['--model', 'scripted:rows.jsonl'], 1, "rows.jsonl: row 0: this is no script: each entry needs 'answers'"],
    [['--model', 'scripted:agent.ts:nope'], 2, "agent.ts has no function 'nope' that could answer as the model"],
    [['--prices', 'nope.json'], 3, 'Cannot read the price table nope.json'],
    [['--prices', 'rows.jsonl'], 3, 'The price table rows.jsonl is no JSON'],
    [['-o', 'folder'], 3, 'folder: is a directory'],
    [['-m', 'nope.ts'], 2, "Cannot find 'nope.ts'"],
    [['-m', 'agent.ts', '--agent', 'nobody'], 4, "Agent 'nobody' not found"],
    [['-m', 'agent.ts', '--mcp', 'x'], 2, '--module and --mcp exclude each other'],
    [['--mcp', 'folder'], 3, 'the directory has no main.py'],
    [['--row', '1'], 2, '--row needs --interactive'],
    [['--max-turns', '0'], 2, "--max-turns cannot be '0'"],
    [['-c', '0'], 2, "--concurrency cannot be '0'"],
  ])('what is wrong is told before anything runs: %j ends with %d', async (args, exitCode, message) => {
    const cwd = calculatorProject();
    mkdirSync(join(cwd, 'folder'));
    const { code, stdout, stderr } = await runTest(cwd, args);
    expect({ code, stdout, stderr }).toEqual({ code: exitCode, stdout: '', stderr: expect.stringContaining(message) });
  });

  it('an invalid agent ends with 4 and all that is wrong', async () => {
    const source = AGENT_SOURCE.replace("{ description: 'Add two numbers' }", "{ description: '' }");
    const { code, stderr } = await runTest(calculatorProject({ 'agent.ts': source }));
    expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringContaining('CalculatorAgent') });
  });

  it('a refused key is found by the first word, exit code 5; nothing has run', async () => {
    model.fake.behave([errorReply(401, 'no such key')]);
    const { code, stdout, stderr } = await runTest(calculatorProject(), model.options);
    expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
    expect(stderr).toContain('HTTP 401: no such key');
    expect(model.fake.seen).toHaveLength(1);
  });

  it('a server that is not there ends with 5, after the tries', async () => {
    // A port that nobody is given by chance.
    const url = 'http://127.0.0.1:2';
    const { code, stderr } = await runTest(calculatorProject(), ['--model', 'x', '--base-url', url]);
    expect({ code, stderr }).toEqual({ code: 5, stderr: expect.stringContaining(`could not reach ${url}/v1`) });
  });

  it('G-F: a fault that every row would meet stops the run; finished rows are kept', async () => {
    model.fake.behave((request, index) => (index < 5 ? addingModel(request) : errorReply(401, 'key withdrawn')));
    const cwd = calculatorProject({ 'rows.jsonl': jsonl(sums(20)) });
    const { code, stdout, stderr } = await runTest(cwd, [...model.options, '-c', '1', '-o', 'out.json']);
    expect(code).toBe(1);
    expect(stderr).toContain('Error: Stopped after 3 rows: every further one would fail as well.\n');
    expect(stdout).toMatch(/Passed: 2\nFailed: 1 \(model: 1\)\n[^]*Stopped early: .*key withdrawn/);
    expect(resultsIn(cwd).summary).toMatchObject({ total: 3, passed: 2, failed: 1, stopped_early: true });
  });

  it('rate limits and faults of the server are waited out', async () => {
    let failed = 0;
    model.fake.behave((request) => {
      if (lastMessage(request.body).role !== 'tool' || failed >= 2) return addingModel(request);
      return failed++ === 0
        ? errorReply(429, 'slow down', { headers: { 'retry-after': '0' } })
        : errorReply(503, 'busy');
    });
    const { code, stdout } = await runTest(calculatorProject(), model.options);
    expect({ code, failed, stdout }).toEqual({ code: 0, failed: 2, stdout: expect.stringContaining('Passed: 4\n') });
  });

  it('-c runs so many at once and no more', async () => {
    let release = (): void => {};
    const twelveAreThere = new Promise<void>((resolve) => (release = resolve));
    model.fake.behave(async (request, index) => {
      if (index === 12) release();
      // The preflight's word comes alone; with the twelfth there is time for one more.
      if (index > 0) await twelveAreThere;
      return { ...addingModel(request), delayMs: 100 };
    });
    const cwd = calculatorProject({ 'rows.jsonl': jsonl(sums(24)) });
    const { code } = await runTest(cwd, [...model.options, '-c', '12']);
    expect({ code, peak: model.fake.peak }).toEqual({ code: 0, peak: 12 });
  });

  it('--prices: what it cost', async () => {
    const cwd = calculatorProject({ 'prices.json': '{"adder":{"input":1000,"output":10000}}' });
    const { stdout } = await runTest(cwd, [
      ...model.options,
      '--prices',
      'prices.json',
      '--limit',
      '1',
      '-o',
      'out.json',
    ]);
    // Two calls of 11 and 7 tokens.
    expect(stdout).toContain('Cost: $0.1620\n');
    expect(resultsIn(cwd).summary['cost_usd']).toBeCloseTo(0.162);
  });

  it('a script may be a function of a module', async () => {
    const source =
      'export const solve = ({ messages }: { messages: { content: string }[] }) => `I see ${messages.length}`;\n';
    const { code, stdout } = await runTest(calculatorProject({ 'solver.ts': source }), [
      '--model',
      'scripted:solver.ts:solve',
    ]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('Passed: 4\n') });
  });

  it('a row that takes too long is cut off, by its class, and a hanging agent holds up none', async () => {
    const cwd = moody(row('hang', '1'), row('a', 'yes'));
    const { code, stdout } = await runTest(cwd, [...MOODY_ARGS, '--timeout', '6']);
    expect(code).toBe(1);
    expect(stdout).toContain('1 × deadline\n    row 0: ');
    expect(stdout).toContain('Passed: 1\n');
  });
});

describe('agents', () => {
  it('--agent names the module, as in the Python SDK', async () => {
    expect((await runTest(calculatorProject(), ['--agent', 'agent.ts:CalculatorAgent'])).code).toBe(0);
  });

  it('of a Nest module with its own services; several agents: one must be chosen', async () => {
    const source = `
import { Injectable, Module } from '@nestjs/common';
import { Agent, OsmosisModule, Reward } from 'nestjs-osmosis';
@Injectable() class Judge { score(text: string) { return text.length; } }
@Agent({ name: 'first', tools: [] }) class First {
  constructor(private readonly judge: Judge) {}
  @Reward() length(solution: string, _truth: string): number { return this.judge.score(solution); }
}
@Agent({ name: 'second', tools: [] }) class Second {}
@Module({ imports: [OsmosisModule.forRoot({ rollouts: { store: 'sqlite' } })], providers: [First, Second, Judge] })
export class AppModule {}
`;
    const cwd = moody(row('a', 'yes'));
    const args = ['-m', 'app.module.ts', '-d', 'moody.jsonl', '--model', 'scripted:yes.jsonl'];
    writeFileSync(join(cwd, 'app.module.ts'), source);
    const unclear = await runTest(cwd, args);
    expect({ code: unclear.code, stderr: unclear.stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('There are several agents: first, second. Choose one with --agent.'),
    });
    const { code, stdout } = await runTest(cwd, [...args, '--agent', 'first']);
    expect({ code, stdout: still(stdout) }).toEqual({
      code: 0,
      stdout: expect.stringContaining('length | 3 | 3 | 3 | 1 | 0'),
    });
    // A test keeps no rollouts, whatever the application does when it serves.
    expect(existsSync(join(cwd, '.osmosis'))).toBe(false);
  });

  const SERVER = `
import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
serveStdio(() => {
  const server = new McpServer({ name: 'sums', version: '1' }, { capabilities: { tools: {} } });
  const number = { type: 'number' };
  const inputSchema = fromJsonSchema({ type: 'object', properties: { a: number, b: number }, required: ['a', 'b'] });
  server.registerTool('add', { description: 'Adds', inputSchema }, async ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] }));
  return server;
});
`;

  it.each([['node served/main.mjs'], ['served']])('G-D: the tools of an MCP server: --mcp %s', async (server) => {
    const cwd = calculatorProject({ 'served/main.mjs': SERVER });
    const { code, stdout, stderr } = await runTest(cwd, ['--mcp', server, '-o', 'out.json']);
    expect(stderr).toContain('Agent: mcp_agent (the agent of --mcp)\nTools: 1 (add)\n');
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('Passed: 4\n') });
    expect(stdout).toMatch(/^0 +\| OK +\| N\/A +\| 2 +\| 1 /m);
  });

  it('an MCP server that ends at once is told with what it said; no server at its address is 5', async () => {
    const cwd = calculatorProject({ 'broken/main.mjs': 'console.error("no database"); process.exit(1);\n' });
    const broken = await runTest(cwd, ['--mcp', 'broken']);
    expect(broken).toMatchObject({ code: 5, stdout: '', stderr: expect.stringContaining('It said:\nno database') });
    const key = await runTest(cwd, ['--mcp', 'http://127.0.0.1:9/mcp', '--mcp-key-env', 'NOT_SET']);
    expect(key).toMatchObject({ code: 3, stderr: expect.stringContaining('NOT_SET of --mcp-key-env is not set') });
  });
});

describe('a signal', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s keeps what is done, and ends with %d', async (signal, exitCode) => {
    model.fake.behave((request) => ({ ...addingModel(request), delayMs: 30 }));
    const cwd = calculatorProject({ 'rows.jsonl': jsonl(sums(1000)) });
    const cli = startTest(cwd, [...model.options, '-c', '2', '-o', 'out.json']);
    await cli.output(/\[3\/1000\]/);
    const { code, stdout, stderr } = await cli.stop(signal);
    expect(code).toBe(exitCode);
    const { summary, results } = resultsIn(cwd);
    expect(results.length).toBeGreaterThanOrEqual(3);
    expect(results.length).toBeLessThan(1000);
    expect(summary).toMatchObject({ passed: results.length, failed: 0, stopped_early: true });
    expect(stdout).toContain(`Stopped early: Interrupted by ${signal}.\n`);
    expect(stderr).toContain(`Error: Interrupted after ${results.length} rows; theirs are the results.\n`);
  });

  it('before the first run it ends at once', async () => {
    model.fake.behave(() => ({ ...chatReply('late'), delayMs: 600_000 }));
    const cli = startTest(calculatorProject(), model.options);
    await until(() => model.fake.seen.length > 0);
    expect(await cli.stop('SIGINT')).toMatchObject({ code: 130, stdout: '' });
  });
});

describe('at a terminal', () => {
  it('a bar tells how far it is: passed, failed by class, rate, tokens, cost', async () => {
    const cwd = moody(row('a', 'yes'), row('give up', '1'), row('b', 'yes'));
    writeFileSync(join(cwd, 'prices.json'), '{"scripted:yes.jsonl":{"input":1,"output":1}}');
    const args = [...MOODY_ARGS, '-c', '1', '--prices', 'prices.json'];
    const { code, stdout } = await runTest(cwd, args, { terminal: true, env: { NO_COLOR: '1' } });
    expect(code).toBe(1);
    const last = stdout.split('\r\u001b[2K').findLast((line) => line.startsWith('Testing ['));
    expect(last).toMatch(/^Testing \[#{24}\] 3\/3, 0 s left, 2 passed, 1 failed \(agent: 1/);
    expect(stdout).toContain('Passed: 2\r\n');
  });
});
