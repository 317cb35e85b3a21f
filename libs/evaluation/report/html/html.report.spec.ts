import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, type Browser, type Page } from 'playwright-core';
import { CHROMIUM } from '../../../../test/support/chromium.js';
import { describeInChromium } from '../../../../test/support/describe-in-chromium.js';
import { RunLog } from '../../run/log/run.log.js';
import type { RunRecord } from '../../run/run.record.js';
import { DatasetFiles } from '../../testing/dataset-files.js';
import { anEvaluation, aRun } from '../../testing/runs.js';
import { loadEvaluation } from '../evaluation.loader.js';
import { buildReport } from '../evaluation.report.js';
import { writeHtmlReport } from './html.writer.js';
import { markup, scriptJson } from './markup.js';

const files = new DatasetFiles();
afterAll(() => files.remove());

const HOSTILE = '</script><script>document.title="owned"</script><img src=x onerror=document.title="owned">';

interface Sample {
  readonly rows: number;
  readonly runsPerRow: number;
  readonly baseline?: boolean;
  readonly text?: (row: number) => string;
}

/** Writes a log, without a model. */
async function writeLog(name: string, { rows, runsPerRow, baseline = false, text = String }: Sample): Promise<string> {
  const { config } = anEvaluation([]);
  const { identity, ...facts } = {
    ...config,
    runsPerRow,
    ks: [1, 2],
    baselineModel: baseline ? 'openai/old' : null,
  };
  const path = join(files.folder, `${name}.runs.jsonl`);
  const log = await RunLog.open(path, { started_at: '2026-01-02T03:04:05.000Z', identity, config: facts }, 'new');
  const appends: Promise<void>[] = [];
  for (let index = 0; index < rows; index++) {
    const values = {
      user_prompt: `question ${index} ${text(index)}`,
      system_prompt: 's',
      ground_truth: String(index % 7),
    };
    const row = { index, line: index + 1, values, messages: [], groundTruth: values.ground_truth };
    for (let run = 0; run < runsPerRow; run++) {
      for (const model_tag of baseline ? (['primary', 'baseline'] as const) : [null]) {
        appends.push(log.append(recordOf(index, run, model_tag, text(index)), row));
      }
    }
  }
  await Promise.all(appends);
  await log.close('2026-01-02T03:05:05.000Z', 60_000, null);
  return path;
}

async function writeReport(name: string, sample: Sample): Promise<string> {
  const log = await writeLog(name, sample);
  const file = join(files.folder, `${name}.html`);
  await writeHtmlReport(file, buildReport(await loadEvaluation(log)), log);
  return file;
}

function recordOf(row_index: number, run_index: number, model_tag: RunRecord['model_tag'], text: string): RunRecord {
  const success = (row_index + run_index) % 5 !== 4;
  const score = model_tag === 'baseline' ? 0 : Number((row_index + run_index) % 2 === 0);
  return {
    ...aRun({ row_index, run_index, model_tag, success, ...(success ? { scores: { exact: score } } : { scores: {} }) }),
    rollout_id: `eval-${row_index}-run-${run_index}`,
    score_reasons: success ? { exact: `because ${text}` } : {},
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: `question ${row_index} ${text}` },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'add', arguments: '{"a":1,"b":2}' } }],
      },
      { role: 'tool', tool_call_id: 'c', content: `result ${text}` },
      { role: 'assistant', content: `answer ${row_index} of run ${run_index} ${text}` },
    ],
  };
}

describe('markup', () => {
  it('escapes whatever is put in, but markup', () => {
    const quotes = '"\'';
    expect(markup`<p title="${quotes}">${'<b>&'}${markup`<i>${1}</i>`}${null}${[markup`<u></u>`, 'x']}</p>`.text).toBe(
      '<p title="&quot;&#39;">&lt;b&gt;&amp;<i>1</i><u></u>x</p>',
    );
  });

  it('JSON in a script cannot end it', () => {
    const { text } = scriptJson({ a: '</script><!--' });
    expect(text).not.toContain('<');
    expect(JSON.parse(text)).toEqual({ a: '</script><!--' });
  });
});

describeInChromium('the report to look at', () => {
  let browser: Browser;
  let page: Page;
  const problems: string[] = [];

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });
  });
  afterAll(() => browser.close());

  async function open(file: string): Promise<void> {
    problems.length = 0;
    page = await browser.newPage();
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    page.on('pageerror', (error) => problems.push(String(error)));
    page.on('request', (request) => request.url() !== pathToFileURL(file).href && problems.push(request.url()));
    await page.goto(pathToFileURL(file).href);
    await page.waitForSelector('html[data-ready=true]');
  }
  afterEach(async () => {
    await page.close();
    expect(problems).toEqual([]);
  });

  const shownRows = (): Promise<(string | undefined)[]> =>
    page.$$eval('#rows tbody tr', (lines) => lines.map((line) => line.getAttribute('data-row') ?? undefined));

  it('shows scores with intervals, failures by class, charts with words for them', async () => {
    await open(await writeReport('overview', { rows: 10, runsPerRow: 2 }));
    const text = await page.innerText('body');
    expect(text).toContain('adder: openai/gpt-5-mini');
    expect(text).toMatch(/Pass rate by exact\s+40\.0%\s+\d+\.\d% to \d+\.\d%/);
    expect(text).toContain('Failures by class');
    const charts = await page.$$eval('svg', (all) => all.map((svg) => svg.getAttribute('aria-label')));
    expect(charts).toEqual([
      'Scores by exact: 16 scores from 0 to 1',
      expect.stringMatching(/^pass@k by exact: pass@1 40\.0%, pass@2/),
    ]);
  });

  it('rows are sorted by their heads and found by words', async () => {
    await open(await writeReport('sorting', { rows: 30, runsPerRow: 1, text: (row) => `item${row}` }));
    expect((await shownRows()).slice(0, 3)).toEqual(['0', '1', '2']);
    await page.click('th[data-key=i] button');
    expect((await shownRows()).slice(0, 2)).toEqual(['29', '28']);
    expect(await page.getAttribute('th[data-key=i]', 'aria-sort')).toBe('descending');
    await page.click('th[data-key=s0] button');
    // Rows without a score come last, whichever way it is sorted.
    expect((await shownRows()).at(-1)).toBe('29');
    await page.click('th[data-key=s0] button');
    expect((await shownRows()).at(-1)).toBe('29');
    await page.fill('#search', 'ITEM2 question');
    expect(await shownRows()).toHaveLength(11);
    expect(await page.innerText('#count')).toBe('11 of 30 rows');
    await page.selectOption('#kind', 'failed');
    expect((await shownRows()).sort()).toEqual(['24', '29']);
  });

  it('works by keyboard alone: find, move, open, read, close', async () => {
    await open(await writeReport('keys', { rows: 12, runsPerRow: 2, text: (row) => `item${row}` }));
    await page.keyboard.press('/');
    await page.keyboard.type('item1');
    await page.keyboard.press('Escape');
    for (let press = 0; press < 20; press++) {
      await page.keyboard.press('Tab');
      if (
        await page.evaluate(
          () =>
            (globalThis as never as { document: { activeElement: { tagName: string } } }).document.activeElement
              .tagName === 'TR',
        )
      )
        break;
    }
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#detail h2');
    expect(await page.innerText('#detail h2')).toBe('Row 10');
    expect(await page.$$eval('#detail .run h3', (all) => all.map((head) => head.textContent))).toEqual([
      'Run 0: stop',
      'Run 1: stop',
    ]);
    const transcript = await page.innerText('#detail .run');
    expect(transcript).toContain('answer 10 of run 0');
    expect(
      await page.$$eval('#detail .run details', (all) => all.slice(0, 2).map((fold) => fold.hasAttribute('open'))),
    ).toEqual([false, false]);
    expect(await page.innerText('#detail .run summary')).toBe('add({"a":1,"b":2})');
    await page.keyboard.press('Escape');
    expect(await page.$('#detail')).toBeNull();
    expect(
      await page.evaluate(
        () =>
          (globalThis as never as { document: { activeElement: { dataset: { row: string } } } }).document.activeElement
            .dataset.row,
      ),
    ).toBe('10');
  });

  it('a baseline stands beside, and the rows that flipped can be picked out', async () => {
    await open(await writeReport('baseline', { rows: 10, runsPerRow: 1, baseline: true }));
    await page.selectOption('#kind', 'gained');
    expect(await shownRows()).toEqual(['0', '2', '6', '8']);
    await page.click('#rows tbody tr');
    await page.waitForSelector('#detail h2');
    expect(await page.$$eval('#detail .run h3', (all) => all.map((head) => head.textContent))).toEqual([
      'Run 0 by openai/gpt-5-mini: stop',
      'Run 0 by openai/old: stop',
    ]);
    expect(await page.innerText('body')).toContain('Against the baseline openai/old, row by row');
  });

  it('other evaluations stand beside it: their scores in the list, their runs in the row', async () => {
    const log = await writeLog('mine', { rows: 10, runsPerRow: 2 });
    const others = [
      await writeLog('theirs', { rows: 12, runsPerRow: 1, baseline: true }),
      await writeLog('third', { rows: 10, runsPerRow: 1 }),
    ];
    const against = await Promise.all(
      others.map(async (path, index) => ({ name: ['theirs', 'third'][index]!, data: await loadEvaluation(path) })),
    );
    const report = buildReport(await loadEvaluation(log), { name: 'mine', against });
    const file = join(files.folder, 'others.html');
    await writeHtmlReport(file, report, log, others);
    await open(file);
    expect(await page.$$eval('#rows thead th', (all) => all.map((head) => head.textContent))).toEqual([
      'Row',
      'Question',
      'Truth',
      'Failed',
      'exact',
      'exact by theirs',
      'exact by third',
      'Change',
    ]);
    expect(await shownRows()).toHaveLength(10);
    await page.click('#rows tbody tr');
    await page.waitForSelector('#detail h2');
    expect(await page.$$eval('#detail .run h3', (all) => all.map((head) => head.textContent))).toEqual([
      'Run 0 by mine: stop',
      'Run 1 by mine: stop',
      'Run 0 by theirs: stop',
      'Run 0 by third: stop',
    ]);
    expect(await page.innerText('body')).toContain('Against third, row by row');
  });

  it('shows what a judge says of its score', async () => {
    await open(await writeReport('reasons', { rows: 1, runsPerRow: 1, text: () => 'it is right' }));
    await page.click('#rows tbody tr');
    await page.waitForSelector('#detail h2');
    expect(await page.innerText('#detail .reason')).toBe('exact: because it is right');
  });

  it('what a model says is text, never markup; nothing is loaded from anywhere', async () => {
    const file = await writeReport('hostile', { rows: 3, runsPerRow: 1, text: () => HOSTILE });
    await open(file);
    await page.click('#rows tbody tr');
    await page.waitForSelector('#detail h2');
    await page.$$eval('#detail details', (all) => all.forEach((fold) => fold.setAttribute('open', '')));
    expect(await page.innerText('#detail')).toContain(HOSTILE);
    expect(await page.title()).toBe('adder · openai/gpt-5-mini');
    expect(readFileSync(file, 'utf8')).not.toMatch(/(?:src|href)=["']?(?:https?:)?\/\//);
  });

  it('10,000 runs: opens, draws what is in view, and the rest as it comes into view', async () => {
    const filler = Array.from({ length: 150 }, (_, index) => `word${index}`).join(' ');
    const file = await writeReport('large', { rows: 2_500, runsPerRow: 4, text: (row) => `${row} ${filler}` });
    const before = Date.now();
    await open(file);
    const openedMs = Date.now() - before;
    process.stderr.write(`10,000 runs, ${Math.round(statSync(file).size / 1e6)} MB: open in ${openedMs} ms\n`);
    expect(await shownRows()).toHaveLength(100);
    await page.$eval('#end', (end) => end.scrollIntoView());
    await page.waitForSelector('#rows tbody tr:nth-child(101)', { state: 'attached' });
    await page.fill('#search', '2499');
    await page.click('#rows tbody tr');
    await page.waitForSelector('#detail h2');
    expect(await page.innerText('#detail .run')).toContain('answer 2499 of run 0');
  }, 120_000);
});
