import { readdirSync, writeFileSync, mkdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { chatReply, errorReply, FakeProvider } from '../libs/model/testing/fake-provider.js';
import { AGENT_SOURCE, endProcesses, ensureBuilt, removeProjects, startCli } from './support/cli.js';
import { EvalProject, row } from './support/eval-project.js';
import { until } from './support/init.js';

jest.setTimeout(180_000);

beforeAll(ensureBuilt);
afterEach(endProcesses);
afterAll(removeProjects);

/** Cells of the line of a table that begins with this. */
function cells(text: string, first: string): string[] {
  const line = text.split('\n').find((each) => each.startsWith(`${first} `) && each.includes(' | '));
  return (line ?? '').split('|').map((cell) => cell.trim());
}

describe('osmosis eval (spec F.8)', () => {
  it('G-F: 2 rows × 2 runs that pass in turn: mean .5, pass@1 is there, pass@2 is not', async () => {
    const project = new EvalProject([row('flip'), row('flip')]);
    const { code, stdout, stderr } = await project.eval('-n', '2', '-c', '1');
    expect(code).toBe(0);
    const { summary, rows, config } = project.report();
    expect(summary.eval_fns['score']).toMatchObject({ mean: 0.5, std: 0.5, min: 0, max: 1, pass_at_1: 0.5 });
    expect(summary.eval_fns['score']).not.toHaveProperty('pass_at_2');
    expect(config).toMatchObject({ n_runs: 2, pass_threshold: 1, eval_fns: ['score'], agent: 'echo' });
    expect(rows.map(({ runs }) => runs.map(({ run_index }) => run_index))).toEqual([
      [0, 1],
      [0, 1],
    ]);
    expect(cells(stdout, 'score').slice(0, 3)).toEqual([
      'score',
      'scripted:model.mjs:answer',
      expect.stringMatching(/^0\.500/),
    ]);
    expect(stderr).toContain('[4/4] Row 1 run 1: OK');
    expect(stderr).toContain('Report written to out/report.json');
  });

  it('the agent of a TypeScript file, scored by its own reward; pass@k for any k', async () => {
    const project = new EvalProject([row('What is 2 + 3?', { ground_truth: '5' })], {
      'calculator.ts': AGENT_SOURCE,
      'answers.jsonl': `${JSON.stringify({ answers: [[{ name: 'add', arguments: { a: 2, b: 3 } }], '5'] })}\n`,
    });
    const args = ['eval', '-m', 'calculator.ts', '-d', 'rows.jsonl', '--model', 'scripted:answers.jsonl', '-n', '4'];
    const { code, stdout } = await project.run([...args, '--pass-k', '2,4', '--json']);
    expect(code).toBe(0);
    const { data } = JSON.parse(stdout) as { data: { reportPath: string; report: { summary: { eval_fns: object } } } };
    expect(data.report.summary.eval_fns).toMatchObject({ exact: { pass_at_2: 1, pass_at_4: 1, n_passed: 4 } });
    // Nobody named a file; the runs are kept all the same.
    expect(data.reportPath).toContain('/.osmosis/evals/calculator-');
    expect(readdirSync(project.path('.osmosis/evals'))).toHaveLength(2);
  });

  it('ST-01: pass@5 of two runs is told nowhere: no key, N/A in the table', async () => {
    for (const [question, passAt1] of [
      ['say 0', 0],
      ['flip', 0.5],
    ] as const) {
      const project = new EvalProject([row(question)]);
      const { stdout } = await project.eval('-n', '2', '--pass-k', '1,5', '-c', '1');
      const scorer = project.report().summary.eval_fns['score'];
      expect(scorer).toMatchObject({ pass_at_1: passAt1 });
      expect(scorer).not.toHaveProperty('pass_at_5');
      expect(scorer?.estimates.pass_at).not.toHaveProperty('5');
      expect(cells(stdout, 'score').at(-3)).toBe('N/A');
    }
  });

  it('ST-03: failed runs are counted by row and over all, and the denominators of file, log and table agree', async () => {
    const rows = [row('say 1'), row('throw below 4'), row('throw below 2'), row('say 1'), row('say 1')];
    const project = new EvalProject(rows);
    const { code, stdout } = await project.eval('-n', '4');
    expect(code).toBe(0);
    const runs = project.runs();
    const failed = runs.filter(({ success }) => success === false);
    expect([runs.length, failed.length]).toEqual([20, 6]);
    const { summary, rows: byRow } = project.report();
    expect(byRow.map(({ n_total, n_error }) => [n_total, n_error])).toEqual(
      [0, 1, 2, 3, 4].map((index) => [
        runs.filter(({ row_index }) => row_index === index).length,
        failed.filter(({ row_index }) => row_index === index).length,
      ]),
    );
    expect(summary).toMatchObject({ total_runs: 20, failed_runs: 6, error_rate: { value: 6 / 20 } });
    expect(summary.eval_fns['score']).toMatchObject({ mean: 1, n_scored: 14, n_attempts: 20, n_passed: 14 });
    expect(stdout).toContain('Failed runs: 6 of 20 (agent: 6)\n');
    expect(cells(stdout, 'score').slice(-2)).toEqual(['14', '0']);
  });

  it('ST-06: what differs by rounding only passes; a gate that fails never shows its limit', async () => {
    const sum = new EvalProject([row('say 0.30000000000000004'), row('say 0.3')]);
    expect((await sum.eval('--pass-threshold', '0.3')).code).toBe(0);
    expect(sum.report().summary.eval_fns['score']?.estimates.pass_rate.value).toBe(1);
    const near = new EvalProject([row('say 0.7996'), row('say 0.7996')]);
    const { code, stderr } = await near.eval('--gate', 'mean>=0.8');
    expect(code).toBe(1);
    expect(stderr).toContain('Error: The gate failed. FAILED mean>=0.8: lower bound 0.7996 of 0.800');
  });

  it('ST-08: without anything to score by, nothing is asked', async () => {
    const project = new EvalProject([row('say 1')]);
    const { code, stdout, stderr } = await project.run([...project.args(), '-m', 'plain.mjs']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(
      "Error: agent 'plain' has nothing to be scored by. Give it a method with @Reward, or name",
    );
    expect(project.calls()).toEqual([]);
  });

  it.each([
    ['one row', [row('say 1')], ['-n', '1']],
    ['equal scores', [row('say 1')], ['-n', '3']],
    ['no scored row', [row('throw below 9')], ['-n', '2']],
  ] as const)('ST-09: the report is strict JSON for %s', async (_name, rows, args) => {
    const project = new EvalProject(rows);
    await project.eval(...args);
    // JSON.parse takes no NaN and no Infinity.
    expect(project.report().summary.total_runs).toBeGreaterThan(0);
    expect(project.read('out/report.json')).not.toMatch(/NaN|Infinity/);
  });

  it('ST-11: a constant reward is warned of', async () => {
    const { stderr } = await new EvalProject([row('say 1'), row('say 1')]).eval('-n', '3');
    expect(stderr).toContain('Warning: zero variance: score gave all runs of a row the same score');
  });

  it('G-F, H 25: a failing scorer is an error count and never a 0; the run and the other scorers stand', async () => {
    const project = new EvalProject([row('say 1'), row('say 0')]);
    const scorers = ['exact', 'turns', 'failing', 'wordy', 'unordered'];
    const { code, stderr } = await project.eval(...scorers.flatMap((name) => ['--eval-fn', `scoring.mjs:${name}`]));
    expect(code).toBe(0);
    const { eval_fns: found } = project.report().summary;
    expect(found['scoring.mjs:exact']).toMatchObject({ mean: 0.5, n_scored: 2, n_scorer_errors: 0 });
    expect(found['scoring.mjs:turns']).toMatchObject({ mean: 3 });
    for (const name of ['failing', 'wordy', 'unordered']) {
      expect(found[`scoring.mjs:${name}`]).toMatchObject({ mean: null, min: null, n_scored: 0, n_scorer_errors: 2 });
    }
    expect(stderr).toContain('Warning: scoring.mjs:failing failed on 2 of 2 runs');
    const [first] = project.runs();
    expect(first).toMatchObject({ success: true, scores: { 'scoring.mjs:failing': null, score: 1 } });
  });

  it('H 25: ends with 1 when no run gave a score', async () => {
    const project = new EvalProject([row('throw below 1')]);
    const { code, stderr } = await project.eval();
    expect(code).toBe(1);
    expect(stderr).toContain('Error: None of 1 runs gave a score. The first error: the agent is in a mood');
  });

  it('a baseline runs on the same rows, tagged; an earlier report is compared as well', async () => {
    const project = new EvalProject([row('say 1'), row('say 1')]);
    expect((await project.eval('-o', 'out/earlier.json', '--model', 'scripted:model.mjs:nothing')).code).toBe(0);
    const { code, stdout } = await project.eval(
      ...['--baseline-model', 'scripted:model.mjs:nothing', '--compare', 'out/earlier.json'],
    );
    expect(code).toBe(0);
    const { summary, rows, model_summaries: models } = project.report();
    expect(rows[0]?.runs.map(({ model_tag }) => model_tag)).toEqual(['primary', 'baseline']);
    expect(models?.map(({ model_tag }) => model_tag)).toEqual(['primary', 'baseline']);
    expect(summary).toMatchObject({
      total_runs: 4,
      eval_fns: { score: { mean: 1 } },
      comparisons: [
        { kind: 'baseline', eval_fns: { score: { gained: [0, 1], lost: [] } } },
        { kind: 'evaluation', with: 'scripted:model.mjs:nothing (earlier)' },
      ],
    });
    expect(stdout).toContain('Against scripted:model.mjs:nothing (earlier), row by row');
    expect(cells(stdout.slice(stdout.indexOf('Against the baseline')), 'score').slice(1, 3)).toEqual([
      expect.stringMatching(/^\+1 \[.*\]$/),
      expect.stringMatching(/^\+100\.0% \[.*\]$/),
    ]);
  });

  it('splits by columns; warns of one that there is not', async () => {
    const project = new EvalProject([row('say 1', { topic: 'sums' }), row('say 0', { topic: 'dates' })]);
    const { stdout, stderr } = await project.eval('--by', 'topic', '--by', 'topics');
    expect(cells(stdout, 'sums').slice(0, 3)).toEqual(['sums', '1', '1']);
    expect(stderr).toContain("Warning: No row has a column 'topics' to split the results by.");
  });

  it('gates hold the bound against the limit; with --json the whole report comes with the error', async () => {
    const project = new EvalProject(Array.from({ length: 10 }, () => row('say 1')));
    expect(await project.eval('--gate', 'pass@1>=0.7', '--gate', 'error_rate<=30%')).toMatchObject({ code: 0 });
    const { code, stdout } = await project.eval('--fresh', '--gate', 'pass@1>=0.75', '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      command: 'eval',
      error: {
        code: 'GATE_FAILED',
        details: { report: { summary: { gates: [{ gate: 'pass@1>=0.75', passed: false }] } } },
      },
    });
  });

  it.each<[readonly string[], number, RegExp]>([
    [['--mcp', 'server'], 2, /--module and --mcp exclude each other/],
    [['--n', '0'], 2, /--n cannot be '0'. Give a whole number from 1/],
    [['--batch-size', '0'], 2, /--concurrency cannot be '0'/],
    [['--max-turns', '0'], 2, /--max-turns cannot be '0'/],
    [['--offset', '-1'], 2, /--offset cannot be '-1'/],
    [['--limit', '0'], 2, /--limit cannot be '0'/],
    [['--baseline-base-url', 'http://x'], 2, /need --baseline-model/],
    [['--baseline-api-key', 'k'], 2, /need --baseline-model/],
    [['--resume', '--fresh'], 2, /exclude each other/],
    [['--gate', 'good enough'], 2, /Gate "good enough" cannot be read/],
    [['--gate', 'exakt.mean>1'], 2, /there is no scorer 'exakt'. Scorers: score/],
    [['--pass-k', '0,1'], 2, /--pass-k cannot be '0,1'/],
    [['--eval-fn', 'scoring.mjs'], 2, /names no eval function. Write path:export/],
    [['--eval-fn', 'scoring.mjs:none'], 2, /has no export 'none'. Its exports: /],
    [['--eval-fn', 'scoring.mjs:exact', '--eval-fn', 'scoring.mjs:exact'], 2, /is named twice/],
    [['--eval-fn', 'scoring.mjs:unknown'], 4, /is no eval function: its first parameter is called 'answer'/],
    [['--compare', 'none.json'], 3, /none\.runs\.jsonl: the result log cannot be read: there is no such file/],
    [['--compare', 'rows.jsonl'], 3, /line 1 is none of a result log/],
    [['-o', 'taken'], 3, /is a directory/],
    [['-d', 'none.jsonl'], 1, /none\.jsonl: there is no such file/],
  ])('%j ends with %d in one line that says why, before the model is asked', async (args, exitCode, message) => {
    const project = new EvalProject([row('say 1')]);
    mkdirSync(project.path('taken'));
    const { code, stdout, stderr } = await project.run([...project.args(), ...args, '-q']);
    expect({ code, stdout }).toEqual({ code: exitCode, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(project.calls()).toEqual([]);
  });

  it('shows progress on a terminal only, with rate and passes', async () => {
    const project = new EvalProject([row('say 1'), row('say 0')]);
    const { stdout } = await project.run(project.args('-n', '3'), { terminal: true });
    expect(stdout).toMatch(/Evaluating \[.*#{24}.*\] 6\/6.*3 passed.*runs\/min/);
    const quiet = await project.run(project.args('--fresh', '--quiet'));
    expect(quiet.stderr).not.toMatch(/Evaluating|Row 0/);
    expect(quiet.stdout).toContain('Scores (95% interval)');
  });
});

describe('a model behind HTTP', () => {
  let provider: FakeProvider;
  beforeEach(async () => {
    provider = await FakeProvider.start();
  });
  afterEach(() => provider.stop());

  const KEY = 'SECRET-9c1b';
  const env = { MY_KEY: KEY };
  const hostedArgs = (project: EvalProject, ...args: readonly string[]) =>
    project.args('--model', 'Qwen/Qwen3-0.6B', '--base-url', provider.url, '--api-key-env', 'MY_KEY', ...args);
  const hosted = (project: EvalProject, ...args: readonly string[]) =>
    project.run(hostedArgs(project, ...args), { env });

  it('G-F: --batch-size, or -c, is how many are asked at once; the model is shown as it was typed', async () => {
    // The first word is to see whether it answers.
    provider.behave((_request, index) => ({ ...chatReply('1'), delayMs: index === 0 ? 0 : 600_000 }));
    const project = new EvalProject(Array.from({ length: 12 }, () => row('say 1')));
    for (const option of ['--batch-size', '-c']) {
      const asking = startCli(hostedArgs(project, option, '6', '--fresh'), { cwd: project.folder, env });
      await until(() => provider.seen.length >= 7, 'six are asked');
      // No answer comes, and nothing more is asked.
      await sleep(200);
      expect(provider.seen).toHaveLength(7);
      await asking.stop('SIGKILL');
      provider.seen.length = 0;
    }
    provider.behave([chatReply('1')]);
    const { code, stdout } = await hosted(project, '--fresh');
    expect(code).toBe(0);
    expect(provider.seen).toHaveLength(13);
    expect(stdout).toContain('Qwen/Qwen3-0.6B');
    expect(provider.seen[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(project.read('out/report.json') + project.read('out/report.runs.jsonl')).not.toContain(KEY);
  });

  it('a key that is refused ends it before the first run, and is shown nowhere', async () => {
    provider.behave([errorReply(401, `bad key ${KEY}`)]);
    const project = new EvalProject([row('say 1')]);
    const { code, stdout, stderr } = await hosted(project);
    expect(code).toBe(5);
    expect(stderr).toMatch(/Error: .*401/);
    expect(stdout + stderr).not.toContain(KEY);
    expect(project.runs()).toEqual([]);
  });

  it('a fault that every further run would meet stops it; the finished part is kept, and --resume makes the rest', async () => {
    provider.behave((_request, index) => (index <= 3 ? chatReply('1') : errorReply(401, 'the key was withdrawn')));
    const project = new EvalProject(Array.from({ length: 8 }, () => row('say 1')));
    const { code, stderr } = await hosted(project, '-c', '1');
    expect(code).toBe(1);
    expect(stderr).toMatch(/Error: Stopped, since every further run would fail as well: .*withdrawn/);
    expect(stderr).toContain('Run the same command with -o out/report.json --resume for the rest.');
    expect(project.report().summary).toMatchObject({ stopped_early: true, failed_runs: 1, total_runs: 4 });
    provider.behave([chatReply('1')]);
    expect((await hosted(project, '-c', '1', '--resume')).code).toBe(0);
    expect(project.report().summary).toMatchObject({ stopped_early: false, failed_runs: 0, total_runs: 8 });
    // One word to see whether it answers, and the five runs that were left.
    expect(provider.seen).toHaveLength(6);
  });
});

describe('breaking off and resuming', () => {
  const ROWS = [...[1, 2, 3].map(() => row('say 1')), row('throw below 9'), row('throw below 9')];
  const SLOW = Array.from({ length: 5 }, (_, index) => row(`wait 600000 ${index}`));

  it('ST-04: Ctrl-C after 3 good and 2 failed of 10 ends with 130; resumed, the counts add up to 10', async () => {
    const project = new EvalProject([...ROWS, ...SLOW]);
    const broken = startCli(project.args('-c', '1'), { cwd: project.folder });
    await broken.output(/\[5\/10\]/);
    await until(() => project.calls().length >= 4, 'the sixth run asks the model');
    const { code, stdout, stderr } = await broken.stop('SIGINT');
    expect(code).toBe(130);
    expect(stderr).toContain(
      'Error: Interrupted. 5 runs are kept. Run the same command with -o out/report.json --resume',
    );
    expect(stdout).toContain('Failed runs: 2 of 5 (agent: 2)\n');
    expect(project.report().summary).toMatchObject({ total_runs: 5, stopped_early: true });

    writeFileSync(
      project.path('model.mjs'),
      project.read('model.mjs').replace('setTimeout(resolve, Number', 'setTimeout(resolve, 0 * Number'),
    );
    writeFileSync(project.path('calls.txt'), '');
    const resumed = await project.eval('-c', '1', '--resume');
    // The script is the model: another script is another model.
    expect(resumed.code).toBe(3);
    expect(resumed.stderr).toMatch(/cannot be resumed.*Changed: model\.version was/);
  });

  it('ST-04: good runs are kept and not asked for again; failed ones are made again', async () => {
    const project = new EvalProject([...ROWS, ...Array.from({ length: 5 }, () => row('say 0'))]);
    const broken = startCli(project.args('-c', '1'), { cwd: project.folder });
    await broken.output(/\[10\/10\]/);
    await broken.ended;
    // As if it had been killed after the fifth run.
    const kept = project.log().filter(({ type, row_index: index }) => type === 'header' || Number(index) < 5);
    const text = kept.map((line) => `${JSON.stringify(line)}\n`).join('');
    writeFileSync(project.path('out/report.runs.jsonl'), text);
    writeFileSync(project.path('calls.txt'), '');
    const { code, stderr } = await project.eval('-c', '1', '--resume');
    expect(code).toBe(0);
    expect(stderr).toContain('3 runs of an earlier session kept\n2 failed runs of an earlier session made again\n');
    expect(project.calls()).toEqual(Array.from({ length: 5 }, () => 'say 0'));
    expect(project.report().summary).toMatchObject({ total_runs: 10, failed_runs: 2, stopped_early: false });
  });

  it.each<[string, readonly string[], (project: EvalProject) => void, RegExp]>([
    ['parameters', ['-n', '2'], () => {}, /Changed: parameters\.n was 1, is 2/],
    [
      'sampling',
      ['--temperature', '0.5'],
      () => {},
      /Changed: parameters\.completion\.temperature was not set, is 0\.5/,
    ],
    ['model', ['--model', 'scripted:model.mjs:nothing'], () => {}, /Changed: model\.model was/],
    ['rows', ['--limit', '1'], () => {}, /Changed: dataset\.limit was null, is 1/],
    [
      'dataset',
      [],
      (project) => writeFileSync(project.path('rows.jsonl'), `${JSON.stringify(row('say 7'))}\n`),
      /Changed: dataset\.sha256 was/,
    ],
    [
      'agent',
      [],
      (project) => writeFileSync(project.path('agent.mjs'), project.read('agent.mjs').replace('Number(solution)', '0')),
      /Changed: agent\.version was/,
    ],
    ['scorers', ['--eval-fn', 'scoring.mjs:exact'], () => {}, /Changed: .*scorers was/],
  ])('refuses to resume with a reason when the %s has changed', async (_what, args, change, message) => {
    const project = new EvalProject([row('say 1'), row('say 1')]);
    expect((await project.eval()).code).toBe(0);
    change(project);
    const before = project.read('out/report.runs.jsonl');
    const { code, stderr } = await project.eval('--resume', ...args);
    expect(code).toBe(3);
    expect(stderr).toMatch(/cannot be resumed, because this is not the same evaluation any more/);
    expect(stderr).toMatch(message);
    expect(project.read('out/report.runs.jsonl')).toBe(before);
  });

  it('another threshold or concurrency is no other evaluation; nothing is asked when nothing is left', async () => {
    const project = new EvalProject([row('say 0.6')]);
    await project.eval();
    writeFileSync(project.path('calls.txt'), '');
    expect((await project.eval('--resume', '--pass-threshold', '0.5', '-c', '8')).code).toBe(0);
    expect(project.calls()).toEqual([]);
    expect(project.report().summary.eval_fns['score']?.estimates.pass_rate.value).toBe(1);
  });

  it('results are not overwritten: told how to go on; --fresh keeps the old ones aside', async () => {
    const project = new EvalProject([row('say 1')]);
    await project.eval();
    const refused = await project.eval();
    expect(refused.code).toBe(3);
    expect(refused.stderr).toMatch(/is there already\. Go on with it \(--resume\), keep it aside \(--fresh\)/);
    expect((await project.eval('--fresh')).code).toBe(0);
    expect(project.runs('out/report.runs.jsonl.1')).toHaveLength(1);
  });
});
