import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { chromium, type Browser, type Page } from 'playwright-core';
import { CHROMIUM } from './support/chromium.js';
import { describeInChromium } from './support/describe-in-chromium.js';
import { AGENT_SOURCE, endProcesses, ensureBuilt, removeProjects } from './support/cli.js';
import { EvalProject, row } from './support/eval-project.js';

jest.setTimeout(180_000);

const HOSTILE = '</script><script>document.title="owned"</script><img src=x onerror=document.title="owned">';

/** Adds wrongly when asked for a sum with 3, in a hostile way. */
const SOLVER = `
export function solve({ messages }, turn) {
  const question = String(messages.find(({ role }) => role === 'user').content);
  const [, a, b] = /(\\d+) \\+ (\\d+)/.exec(question);
  if (turn === 0) return [{ id: 'c', type: 'function', function: { name: 'add', arguments: JSON.stringify({ a: +a, b: +b }) } }];
  return b === '3' ? ${JSON.stringify(HOSTILE)} : String(messages.at(-1).content);
}
export const guess = () => '5';
`;

let project: EvalProject;

beforeAll(async () => {
  await ensureBuilt();
  const sums = [2, 3, 4, 5].map((b) =>
    row(`What is 1 + ${b}?`, { ground_truth: String(1 + b), topic: b % 2 ? 'odd' : 'even' }),
  );
  project = new EvalProject(sums, { 'calculator.ts': AGENT_SOURCE, 'solver.mjs': SOLVER });
  for (const [name, output] of [
    ['solve', 'out/new.json'],
    ['guess', 'out/old.json'],
  ] as const) {
    const args = [
      'eval',
      '-m',
      'calculator.ts',
      '-d',
      'rows.jsonl',
      '--model',
      `scripted:solver.mjs:${name}`,
      '-n',
      '2',
    ];
    expect(await project.run([...args, '-o', output])).toMatchObject({ code: 0 });
  }
});
afterEach(endProcesses);
afterAll(removeProjects);

describe('osmosis eval report', () => {
  it('makes the report anew from the log, named by it or by the report', async () => {
    const { code, stdout } = await project.run(['eval', 'report', 'out/new.json', '-o', 'out/again.json']);
    expect(code).toBe(0);
    expect(stdout).toContain('Failed runs: 0 of 8\n');
    expect(stdout).toMatch(/^exact +\| scripted:solver\.mjs:solve \| 0\.750 \[/m);
    expect(project.report('out/again.json')).toEqual({
      ...project.report('out/new.json'),
      summary: { ...project.report('out/new.json').summary, total_duration_ms: expect.any(Number) as number },
    });
    const byLog = await project.run(['eval', 'report', 'out/new.runs.jsonl', '--by', 'topic', '--json']);
    expect(JSON.parse(byLog.stdout)).toMatchObject({
      ok: true,
      data: { report: { summary: { slices: [{ column: 'topic', value: 'even' }, { value: 'odd' }] } } },
    });
  });

  it('compares with others; a gate decides the exit code', async () => {
    const args = ['eval', 'report', 'out/new.json', 'out/old.json', 'out/new.runs.jsonl'];
    const { code, stdout, stderr } = await project.run([...args, '--gate', 'pass@1>=0.9']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/Error: The gate failed\. FAILED pass@1>=0\.9: lower bound/);
    expect(stdout).toMatch(/Against scripted:solver\.mjs:guess, row by row\n[^\n]*\n[^\n]*\nexact +\| \+0\.500 \[/);
    expect(stdout).toContain('| 2 (rows 0, 3)');
  });

  it.each([
    [['none.json'], 3, /none\.runs\.jsonl: the result log cannot be read: there is no such file/],
    [['rows.jsonl'], 3, /line 1 is none of a result log/],
    [[], 2, /needs <file>/],
    [['out/new.json', '--gate', 'exakt.mean>0'], 2, /there is no scorer 'exakt'/],
  ])('%j ends with %d and says why', async (args, exitCode, message) => {
    const { code, stdout, stderr } = await project.run(['eval', 'report', ...args]);
    expect({ code, stdout }).toEqual({ code: exitCode, stdout: '' });
    expect(stderr).toMatch(message);
  });

  it('a word that is no command of eval is told, with what is near', async () => {
    const { code, stderr } = await project.run(['eval', 'reprot', 'out/new.json']);
    expect(code).toBe(2);
    expect(stderr).toContain("Unknown command 'eval reprot'. Did you mean 'eval report'?");
    expect((await project.run(['eval', '--help'])).stdout).toContain('eval rescore');
  });

  it('loads no Nest', async () => {
    const { code, stderr } = await project.run(['eval', 'report', 'out/new.json'], {
      env: { NODE_DEBUG: 'esm,module' },
    });
    expect(code).toBe(0);
    expect(stderr).not.toMatch(/node_modules\/(@nestjs|nest-commander|class-validator|reflect-metadata)\//);
  });
});

describe('osmosis eval curriculum', () => {
  it('writes the rows worth training on, as they were, to stdout or to a file', async () => {
    const args = ['eval', 'curriculum', 'out/old.json', '--keep', 'mean < 1'];
    const { code, stdout, stderr } = await project.run(args);
    expect(code).toBe(0);
    const rows = project.read('rows.jsonl').split('\n');
    expect(stdout).toBe(`${[0, 1, 3].map((index) => rows[index]).join('\n')}\n`);
    expect(stderr).toContain('3 of 4 rows kept, by exact.');
    const json = await project.run([...args, '-o', 'train.jsonl', '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({
      data: { rows: 4, scorer: 'exact', path: project.path('train.jsonl') },
    });
    expect(project.read('train.jsonl')).toBe(stdout);
  });

  it('a condition that cannot be read ends with 2 and shows the form', async () => {
    const { code, stderr } = await project.run(['eval', 'curriculum', 'out/old.json', '--keep', 'mean']);
    expect(code).toBe(2);
    expect(stderr).toContain('Write comparisons like "0 < mean < 1"');
  });
});

describe('osmosis eval rescore', () => {
  it('scores saved conversations with the rewards as they are now, without the model', async () => {
    const before = project.read('out/new.runs.jsonl');
    const lenient = AGENT_SOURCE.replace('? 1 : 0', '? 1 : 0.5');
    const later = new EvalProject([], { 'calculator.ts': lenient, 'out/new.runs.jsonl': before });
    const args = ['eval', 'rescore', 'out/new.json', '-m', 'calculator.ts', '-o', 'out/later.json'];
    const { code, stdout } = await later.run([...args, '--eval-fn', 'scoring.mjs:turns']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^exact +\| scripted:solver\.mjs:solve \| 0\.875 \[/m);
    expect(later.report('out/later.json').summary.eval_fns).toMatchObject({
      exact: { mean: 0.875, n_scored: 8 },
      'scoring.mjs:turns': { mean: 5 },
    });
    expect(later.read('out/new.runs.jsonl')).toBe(before);
    expect(await later.run(args)).toMatchObject({ code: 3 });
  });
});

describeInChromium('the page of --html', () => {
  let browser: Browser;
  let page: Page;
  const problems: string[] = [];

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });
    const args = ['eval', 'report', 'out/new.json', 'out/old.json', '--by', 'topic', '--html', 'page.html'];
    expect(await project.run(args)).toMatchObject({ code: 0 });
    const url = pathToFileURL(project.path('page.html')).href;
    page = await browser.newPage();
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    page.on('pageerror', (error) => problems.push(String(error)));
    page.on('request', (request) => request.url() !== url && problems.push(request.url()));
    await page.goto(url);
    await page.waitForSelector('html[data-ready=true]');
  });
  afterAll(() => browser.close());
  afterEach(() => expect(problems).toEqual([]));

  it('has scores with intervals, slices, a comparison, charts with words, and nothing from anywhere', async () => {
    const text = await page.innerText('body');
    expect(text).toContain('calculator: scripted:solver.mjs:solve against scripted:solver.mjs:guess');
    expect(text).toMatch(/Pass rate by exact\s+75\.0%\s+[\d.]+% to [\d.]+%/);
    expect(text).toContain('By topic');
    expect(text).toContain('Against scripted:solver.mjs:guess, row by row');
    const charts = await page.$$eval('svg', (all) => all.map((svg) => svg.getAttribute('aria-label')));
    expect(charts[0]).toBe('Scores by exact: 8 scores from 0 to 1');
    expect(readFileSync(project.path('page.html'), 'utf8')).not.toMatch(/(?:src|href)=["']?(?:https?:)?\/\//);
  });

  it('a row is found, opened by keyboard, and shows the runs of both side by side, tool calls folded', async () => {
    await page.fill('#search', '3?');
    expect(await page.innerText('#count')).toBe('1 of 4 rows');
    await page.focus('#rows tbody tr');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#detail h2');
    expect(await page.$$eval('#detail .run h3', (all) => all.map((head) => head.textContent))).toEqual([
      'Run 0 by scripted:solver.mjs:solve: stop',
      'Run 1 by scripted:solver.mjs:solve: stop',
      'Run 0 by scripted:solver.mjs:guess: stop',
      'Run 1 by scripted:solver.mjs:guess: stop',
    ]);
    const folds = await page.$$eval('#detail .run:first-child details', (all) =>
      all.map((fold) => [fold.querySelector('summary')?.textContent, fold.hasAttribute('open')]),
    );
    expect(folds).toEqual([
      ['add({"a":1,"b":3})', false],
      ['result: 4', false],
    ]);
  });

  it('what the model said is text, never markup', async () => {
    expect(await page.innerText('#detail .run')).toContain(HOSTILE);
    expect(await page.title()).toBe('calculator · scripted:solver.mjs:solve');
    expect(await page.$$('#detail img')).toEqual([]);
  });
});
