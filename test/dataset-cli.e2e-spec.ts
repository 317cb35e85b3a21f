import { copyFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import {
  createProject,
  endProcesses,
  ensureBuilt,
  removeProjects,
  runCli,
  startCli,
  type CliResult,
} from './support/cli.js';
import { jsonl, row } from './support/evaluation-project.js';

jest.setTimeout(120_000);
beforeAll(ensureBuilt);
afterEach(endProcesses);
afterAll(removeProjects);

const FIXTURES = join(__dirname, '../libs/evaluation/dataset/fixtures');
const BOM = '\ufeff';

interface Report {
  readonly rows: number;
  readonly valid: number;
  readonly complete: boolean;
  readonly problems: readonly { kind: string; field: string | null; count: number; examples: string[] }[];
  readonly notes: readonly string[];
  readonly sample: readonly { index: number; values: Record<string, unknown>; groundTruth: string }[];
}

function project(name: string, content: string | Buffer): string {
  const cwd = createProject();
  writeFileSync(join(cwd, name), content);
  return cwd;
}

function check(cwd: string, ...args: string[]): Promise<CliResult> {
  return runCli(['dataset', 'check', ...args], { cwd });
}

/** What `--json` tells of a file, whether it can be used or not. */
async function reportOf(cwd: string, ...args: string[]): Promise<Report & { code: number | null }> {
  const { code, stdout, stderr } = await check(cwd, ...args, '--json');
  expect(stderr).toBe('');
  const document = JSON.parse(stdout) as { ok: boolean; data?: Report; error?: { code: string; details: Report } };
  expect(document.ok).toBe(code === 0);
  if (document.error) expect(document.error.code).toBe('DATASET_INVALID');
  return { code, ...(document.data ?? document.error!.details) };
}

describe('osmosis dataset check', () => {
  it('a sound file: counts, columns, a sample, exit code 0', async () => {
    const rows = [row('What is 2 + 3?', '5', { topic: 'sums' }), row('What is 4 + 5?', '9', { topic: null })];
    const { code, stdout, stderr } = await check(project('d.jsonl', jsonl(rows)), 'd.jsonl');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(`d.jsonl: 2 rows, 2 usable

Columns of the usable rows
Column        | Filled | Values
--------------+--------+-------
system_prompt | 2      | text 2
user_prompt   | 2      | text 2
ground_truth  | 2      | text 2
topic         | 1      | text 1

First usable rows
  row 0 (line 1)
    system_prompt: Use the tools.
    user_prompt: What is 2 + 3?
    ground_truth: 5
    topic: sums
  row 1 (line 2)
    system_prompt: Use the tools.
    user_prompt: What is 4 + 5?
    ground_truth: 9
    topic: null
`);
  });

  it('a broken file: everything that is wrong, by kind, with counts and places, exit code 1', async () => {
    const rows = [row('a', 42), row('a', true), row('', '1'), { user_prompt: 'a' }, row('a', null), row('fine', '1')];
    const cwd = project('d.jsonl', `${jsonl(rows)}nonsense\n`);
    const { code, stdout, stderr } = await check(cwd, 'd.jsonl');
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'Error: d.jsonl: 6 of 7 rows cannot be used.\n' });
    expect(stdout).toContain('d.jsonl: 7 rows, 1 usable, 6 unusable\n');
    expect(stdout).toContain(`2 × type (ground_truth)
    d.jsonl:1: row 0: ground_truth must be a string, not the number 42. Put it in quotes
    d.jsonl:2: row 1: ground_truth must be a string, not the boolean true. Put it in quotes
`);
    expect(stdout).toContain('1 × empty (user_prompt)\n    d.jsonl:3: row 2: user_prompt cannot be empty\n');
    expect(stdout).toContain('d.jsonl:4: row 3: missing ground_truth, system_prompt');
    expect(stdout).toContain('d.jsonl:5: row 4: ground_truth cannot be null');
    expect(stdout).toContain('1 × syntax\n    d.jsonl:7:1: bad JSON');
    expect(stdout).toContain('  row 5 (line 6)\n');
  });

  it('many faults of one kind are counted, the first of them shown', async () => {
    const report = await reportOf(project('d.jsonl', jsonl(Array.from({ length: 9 }, () => row('a', 1)))), 'd.jsonl');
    expect(report.problems).toMatchObject([{ kind: 'type', field: 'ground_truth', count: 9 }]);
    expect(report.problems[0]?.examples).toHaveLength(5);
  });

  it('--limit, --offset and --columns, with numbers of the whole file', async () => {
    const rows = Array.from({ length: 10 }, (_, index) => ({
      system_prompt: 's',
      Q: `q${index}`,
      answer: String(index),
    }));
    const cwd = project('d.jsonl', jsonl(rows));
    const columns = ['--columns', 'user_prompt=Q,ground_truth=answer'];
    const report = await reportOf(cwd, 'd.jsonl', ...columns, '--offset', '2', '--limit', '3');
    expect(report).toMatchObject({ code: 0, rows: 3, valid: 3 });
    expect(report.sample.map(({ index, groundTruth }) => [index, groundTruth])).toEqual([
      [2, '2'],
      [3, '3'],
      [4, '4'],
    ]);
    const missing = await check(cwd, 'd.jsonl', '--columns', 'user_prompt=question');
    expect(missing.stdout).toContain(
      "there is no column 'question' to take user_prompt from. Columns: system_prompt, Q",
    );
  });

  it('reads standard input, and gzip', async () => {
    const cli = startCli(['dataset', 'check', '-', '--format', 'csv']);
    cli.child.stdin?.end('user_prompt,system_prompt,ground_truth\n"a, ""b""",s,1\n');
    const { code, stdout } = await cli.ended;
    expect({ code, first: stdout.split('\n')[0] }).toEqual({ code: 0, first: 'Standard input: 1 row, 1 usable' });
    expect(stdout).toContain('user_prompt: a, "b"\n');
    const zipped = project('d.jsonl.gz', gzipSync(jsonl([row('a', '1')])));
    expect(await reportOf(zipped, 'd.jsonl.gz')).toMatchObject({ code: 0, rows: 1 });
  });

  it.each([
    [['nope.jsonl'], 1, 'Error: nope.jsonl: there is no such file\n'],
    [['.'], 1, 'Error: .: the name does not tell the format. Known: .jsonl, .json, .csv, .parquet'],
    [['empty.jsonl'], 1, 'Error: empty.jsonl has no rows to use.\n'],
    [['empty.jsonl', '--limit', '0'], 2, "Error: --limit cannot be '0'. Give a whole number from 1"],
    [['empty.jsonl', '--offset', '-1'], 2, "Error: --offset cannot be '-1'. Give a whole number from 0"],
    [['empty.jsonl', '--columns', 'x=y'], 2, "Error: --columns cannot give 'x'."],
    [[], 2, "Error: 'osmosis dataset check' needs <file>."],
  ])('%j ends with %d', async (args, exitCode, message) => {
    const { code, stderr } = await check(project('empty.jsonl', '\n'), ...args);
    expect({ code, stderr }).toEqual({ code: exitCode, stderr: expect.stringContaining(message) });
  });

  it('control characters of a dataset do not reach the terminal', async () => {
    const { stdout } = await check(project('d.jsonl', jsonl([row('\u001b[2Jgone', '1')])), 'd.jsonl');
    expect(stdout).toContain('user_prompt: \\x1b[2Jgone');
  });
});

describe('datasets as people have them', () => {
  it.each([
    ['d.jsonl', jsonl([row('grüße 😀', '1')])],
    ['d.json', JSON.stringify([row('grüße 😀', '1')])],
    ['d.csv', 'user_prompt,system_prompt,ground_truth\ngrüße 😀,s,1\n'],
  ])('DS-01: a byte order mark before %s is not seen', async (name, text) => {
    const { code, sample } = await reportOf(project(name, BOM + text), name);
    expect({ code, first: sample[0]?.values['user_prompt'] }).toEqual({ code: 0, first: 'grüße 😀' });
  });

  it('DS-03: CRLF and blank lines are no rows; a cut last line is told with its number', async () => {
    const [first, second] = [JSON.stringify(row('a', '1')), JSON.stringify(row('b', '2'))];
    const text = `${first}\r\n\r\n  \r\n${second}`;
    expect(await reportOf(project('d.jsonl', text), 'd.jsonl')).toMatchObject({ code: 0, rows: 2, valid: 2 });
    const cut = await reportOf(project('d.jsonl', text.slice(0, -5)), 'd.jsonl');
    expect(cut).toMatchObject({ code: 1, rows: 2, valid: 1 });
    expect(cut.problems[0]?.examples[0]).toMatch(/^d\.jsonl:4:/);
  });

  it('DS-04: a row that lacks a key, or has null, is named; the others keep their own answers', async () => {
    const rows = [row('a', '1'), { system_prompt: 's', user_prompt: 'b' }, row('c', null), row('d', '4')];
    const { code, problems, sample } = await reportOf(project('d.jsonl', jsonl(rows)), 'd.jsonl');
    expect(code).toBe(1);
    expect(problems.flatMap(({ examples }) => examples)).toEqual([
      expect.stringContaining('d.jsonl:2: row 1: missing ground_truth'),
      expect.stringContaining('d.jsonl:3: row 2: ground_truth cannot be null'),
    ]);
    expect(sample.map(({ values, groundTruth }) => [values['user_prompt'], groundTruth])).toEqual([
      ['a', '1'],
      ['d', '4'],
    ]);
  });

  it('DS-06: Parquet of every codec gives the same rows', async () => {
    const cwd = createProject();
    const reports: Report[] = [];
    for (const codec of ['none', 'snappy', 'gzip', 'zstd', 'brotli', 'lz4']) {
      copyFileSync(join(FIXTURES, `codec-${codec}.parquet`), join(cwd, `${codec}.parquet`));
      reports.push(await reportOf(cwd, `${codec}.parquet`));
    }
    expect(reports[0]).toMatchObject({ code: 0, valid: reports[0]?.rows });
    for (const { rows, valid, sample } of reports)
      expect({ rows, valid, sample }).toEqual({ rows, valid, sample: reports[0]?.sample });
  });

  it.each(['groups-duckdb', 'groups-pyarrow'])('DS-08: %s: windows across row groups', async (name) => {
    const cwd = createProject();
    copyFileSync(join(FIXTURES, `${name}.parquet`), join(cwd, 'd.parquet'));
    const whole = await reportOf(cwd, 'd.parquet');
    expect(whole).toMatchObject({ code: 0, valid: whole.rows, complete: true });
    const window = await reportOf(cwd, 'd.parquet', '--offset', String(whole.rows - 2), '--limit', '5');
    expect(window.rows).toBe(2);
    expect(window.sample.map(({ index }) => index)).toEqual([whole.rows - 2, whole.rows - 1]);
  });

  it('DS-10: of 700 MB only the window is read, in 200 MB of memory', async () => {
    const cwd = project('d.jsonl', jsonl([row('a', '1'), row('b', '2'), row('c', '3')]));
    truncateSync(join(cwd, 'd.jsonl'), 700 * 1024 * 1024);
    const env = { NODE_OPTIONS: '--max-old-space-size=200' };
    const { code, stdout } = await runCli(['dataset', 'check', 'd.jsonl', '--limit', '3'], { cwd, env });
    expect({ code, first: stdout.split('\n')[0] }).toEqual({ code: 0, first: 'd.jsonl: 3 rows, 3 usable' });
  });

  it.each([
    [
      'an object around the list',
      '{"data": []}',
      'd.json: a list of objects is needed, not one object (keys: data). Take',
    ],
    [
      'one row',
      JSON.stringify(row('a', '1')),
      'd.json: a list of objects is needed, not one object (keys: system_prompt',
    ],
    ['a list of text', '["a", "b"]', 'd.json: row 0: Expected object, but the row is text'],
    ['JSONL', '{"a":"1"}\n{"a":"2"}\n', 'd.json:2:1: bad JSON: Extra data. This looks like JSONL: call it .jsonl'],
    ['a list with a comma at its end', '[{"a":"1"},]', 'd.json:1:12: bad JSON'],
  ])('DS-12: %s in a .json is told by what it is', async (_name, text, message) => {
    const { code, problems } = await reportOf(project('d.json', text), 'd.json');
    expect({ code, example: problems.map(({ examples }) => examples).flat() }).toEqual({
      code: 1,
      example: expect.arrayContaining([expect.stringContaining(message)]),
    });
  });

  it('DS-13: column names match in any case; two of one meaning, and keys that stand twice, are told', async () => {
    const mixed = project('d.csv', 'GROUND_TRUTH,User_Prompt,system_prompt\n1,a,s\n');
    expect((await reportOf(mixed, 'd.csv')).sample[0]?.values).toEqual({
      ground_truth: '1',
      user_prompt: 'a',
      system_prompt: 's',
    });
    const twice = await reportOf(project('d.jsonl', jsonl([{ ...row('a', 'a'), Ground_Truth: 'b' }])), 'd.jsonl');
    expect(twice.problems[0]?.examples[0]).toContain(
      "the columns 'ground_truth' and 'Ground_Truth' are both ground_truth",
    );
    const keys = await reportOf(project('d.jsonl', '{"a":1,"a":2}\n'), 'd.jsonl');
    expect(keys.problems[0]?.examples[0]).toContain('the key "a" stands twice in this row');
  });

  it.each([
    ['42', 'the number 42'],
    ['0', 'the number 0'],
    ['true', 'the boolean true'],
    ['1e21', 'the number 1e+21'],
    ['["a","b"]', 'a list'],
  ])('DS-14: a ground truth %s is named, not turned into text', async (value, described) => {
    const text = `{"system_prompt":"s","user_prompt":"a","ground_truth":${value}}\n`;
    const { code, problems } = await reportOf(project('d.jsonl', text), 'd.jsonl');
    expect(code).toBe(1);
    expect(problems[0]?.examples[0]).toContain(`row 0: ground_truth must be a string, not ${described}`);
  });

  it('DS-16: text that looks structured stays text', async () => {
    const extra = { metadata: '{"k": [1,2]}', tags: 'a | b; c\nd', list: ['a | b', 'c'] };
    const { sample } = await reportOf(project('d.jsonl', jsonl([row('a', '1', extra)])), 'd.jsonl');
    expect(sample[0]?.values).toMatchObject(extra);
  });

  it('DS-17: UTF-16 with a mark is read; without, and Latin-1, it is told', async () => {
    const text = jsonl([row('größe', '1')]);
    const utf16 = await reportOf(project('d.jsonl', Buffer.from(BOM + text, 'utf16le')), 'd.jsonl');
    expect(utf16.sample[0]?.values['user_prompt']).toBe('größe');
    const unmarked = await reportOf(project('d.jsonl', Buffer.from(text, 'utf16le')), 'd.jsonl');
    expect(unmarked.problems[0]?.examples[0]).toContain('looks like UTF-16 without a byte order mark');
    const latin1 = await reportOf(project('d.jsonl', Buffer.from(text, 'latin1')), 'd.jsonl');
    expect(latin1.problems[0]?.examples[0]).toMatch(/invalid UTF-8 at byte \d+/);
    expect(latin1).toMatchObject({ code: 1, complete: false });
  });
});
