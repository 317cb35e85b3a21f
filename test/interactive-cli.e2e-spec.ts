import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chatReply } from '../libs/model/testing/fake-provider.js';
import type { CliResult, RunningCli } from './support/cli.js';
import { answers, calculatorProject, jsonl, startTest, sums, TestModel } from './support/evaluation-project.js';

jest.setTimeout(120_000);
const model = TestModel.forSuite();

/** Steps through the four sums with these lines on a pipe. */
function session(cwd: string, lines: readonly string[], args: readonly string[] = []): Promise<CliResult> {
  const cli = startTest(cwd, ['-i', ...args]);
  cli.child.stdin?.end(lines.map((line) => `${line}\n`).join(''));
  return cli.ended;
}

describe('osmosis test -i on a pipe (spec F.7)', () => {
  it('steps through a row: conversation, tools, answers, results, the end; exit code 0', async () => {
    const { code, stdout, stderr } = await session(calculatorProject(), ['2', 'n', '', '', 'q']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'osmosis-rollout-test v0.1.0 (interactive)\n' });
    expect(stdout.replace(/Duration: .*/, 'Duration: T')).toBe(`Row (0-3), or q to quit: 2

════ Row 2 ════
[0 system]
  Use the tools.
[1 user]
  What is 2 + 3?
Tools:
  add(a, b): Add two numbers

──── Turn 1 ────
[assistant]
  → add (call_0)
    {
      "a": 2,
      "b": 3
    }
(n/c/m/t/e/s/r N/q/?) > n
[tool: add]
  5

──── Turn 2 ────
[assistant]
  5
finish reason: stop
(n/c/m/t/e/s/r N/q/?) > 

──── Result ────
Status: COMPLETED
Reward: 1
  exact: 1
Finish reason: stop
Duration: T
Tokens: 66
LLM calls: 2
(m/s/r N/Enter/?) > 
Row (0-3), or q to quit: q
`);
  });

  it('the commands of H 28: e goes on with another answer, s saves, r N changes the row, ? helps', async () => {
    const cwd = calculatorProject();
    const lines = ['0', '?', 'e nonsense', 's kept/talk.json', 'r 3', 'c', 'm', 'r 1', 'q', 'q', 'q'];
    const { code, stdout } = await session(cwd, lines);
    expect(code).toBe(0);
    expect(stdout).toContain('  e TEXT        put TEXT in the place of the answer');
    expect(stdout).toContain('> e nonsense\n[assistant]\n  nonsense\n');
    expect(JSON.parse(readFileSync(join(cwd, 'kept/talk.json'), 'utf8'))).toEqual([
      { role: 'system', content: 'Use the tools.' },
      { role: 'user', content: 'What is 0 + 3?' },
      { role: 'assistant', content: 'nonsense' },
    ]);
    expect(stdout.match(/════ Row \d/g)).toEqual(['════ Row 0', '════ Row 3', '════ Row 1']);
    expect(stdout.match(/Error: aborted by user/g)).toHaveLength(2);
    expect(stdout).toContain('[4 assistant]\n  6\n');
  });

  it('--row begins there, with the numbers of the file; one that is not there does not end the session', async () => {
    const cwd = calculatorProject({ 'rows.jsonl': jsonl(sums(60)), 'answers.jsonl': jsonl(answers(60)) });
    const window = ['--offset', '50', '--limit', '3'];
    const { stdout } = await session(cwd, ['c', '', 'q'], ['--row', '52', ...window]);
    expect(stdout).toContain('What is 52 + 3?');
    const outside = await session(cwd, ['x', '51', 'c', '', 'q'], ['--row', '3', ...window]);
    expect(outside.code).toBe(0);
    expect(outside.stdout).toContain('There is no row 3. Rows: 50-52.\n');
    expect(outside.stdout).toContain('Give the number of a row, or q.\n');
    expect(outside.stdout).toContain('What is 51 + 3?');
  });

  it.each([[[]], [['0']], [['0', 'c']], [['0', 'e']]])(
    'the end of the input ends it with 0: after %j',
    async (lines) => {
      expect(await session(calculatorProject(), lines)).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/(quit: |> )\n/),
      });
    },
  );

  it.each([
    [['--json'], '--json and --interactive exclude each other'],
    [['-o', 'out.json'], '--output and --interactive exclude each other'],
    [['-d', '-'], 'Standard input is where the commands come from'],
  ])('%j has no meaning here and ends with 2', async (args, message) => {
    const cwd = calculatorProject();
    const { code, stdout, stderr } = await session(cwd, ['0'], args);
    expect({ code, told: stdout + stderr }).toEqual({ code: 2, told: expect.stringContaining(message) });
    expect(existsSync(join(cwd, 'out.json'))).toBe(false);
  });

  it('a signal ends the wait for a command, with its own code', async () => {
    const cli = startTest(calculatorProject(), ['-i']);
    await cli.output(/quit: /);
    expect((await cli.stop('SIGTERM')).code).toBe(143);
  });

  it('a model that cannot be asked is told before the first row', async () => {
    const { code, stderr } = await session(calculatorProject(), ['0'], ['--model', 'gpt-5-mini']);
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining('OPENAI_API_KEY is not set') });
  });
});

describe('osmosis test -i at a terminal', () => {
  const start = (cwd = calculatorProject(), args: readonly string[] = []): RunningCli =>
    startTest(cwd, ['-i', ...args], { terminal: true });

  it('edits a line, and brings back the last one', async () => {
    const cli = start();
    await cli.output(/quit: /);
    cli.child.stdin?.write('02\u007f\r');
    await cli.output(/════ Row 0 ════[^]*Turn 1[^]*> /);
    cli.child.stdin?.write('m\r');
    await cli.output(/\[2 assistant\][^]*> /);
    // Arrow up.
    cli.child.stdin?.write('\u001b[A\r');
    await cli.output(/\[2 assistant\][^]*\[2 assistant\][^]*> /);
    cli.child.stdin?.write('c\r');
    await cli.output(/Status: COMPLETED[^]*> /);
    cli.child.stdin?.write('q\r');
    await cli.output(/Status: COMPLETED[^]*quit: /);
    cli.child.stdin?.write('q\r');
    expect((await cli.ended).code).toBe(0);
  });

  it.each([
    ['Ctrl-C', '\u0003'],
    ['Ctrl-D', '\u0004'],
  ])('%s at a prompt ends the session with 0', async (_name, key) => {
    const cli = start();
    await cli.output(/quit: /);
    cli.child.stdin?.write(key);
    expect((await cli.ended).code).toBe(0);
  });

  it('Ctrl-C while the model thinks ends it with 130', async () => {
    model.fake.behave((_, index) => ({ ...chatReply('late'), delayMs: index === 0 ? 0 : 60_000 }));
    const cli = start(calculatorProject(), [...model.options]);
    await cli.output(/quit: /);
    cli.child.stdin?.write('0\r');
    while (model.asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    cli.child.stdin?.write('\u0003');
    const { code, stdout } = await cli.ended;
    expect({ code, stdout }).toEqual({ code: 130, stdout: expect.stringContaining('Interrupted by SIGINT') });
  });
});
