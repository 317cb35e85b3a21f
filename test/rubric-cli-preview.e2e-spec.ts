import { spawn } from 'node:child_process';
import { CLI, createProject, runCli, type CliResult } from './support/cli.js';
import { jsonl, TestJudge } from './support/rubric-project.js';

jest.setTimeout(120_000);

const judge = TestJudge.forSuite();

describe('preview', () => {
  const preview = (files: Readonly<Record<string, string>>, path: string, ...flags: string[]): Promise<CliResult> =>
    runCli(['preview', '--path', path, ...flags], { cwd: createProject(files) });

  it('G-D: shows a single entry at the root with its defaults, and says why it cannot be used (H 9)', async () => {
    const { code, stdout, stderr } = await preview(
      { 'r.yaml': 'rubric: |\n  Be kind.\n  Always.\ndefault_score_max: 5\n' },
      'r.yaml',
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^Loaded 1 rubric config\(s\) from .*r\.yaml\n1 of them cannot be used as they are/);
    expect(stdout).toContain(
      'Rubric config #1 (document[0])\nrubric: |\n  Be kind.\n  Always.\ndefault_score_max: 5\n! ',
    );
    expect(stdout).toMatch(/! .*r\.yaml:1:1: .*needs id/);
  });

  it('G-D: shows both entries of a list at the root', async () => {
    const { code, stdout } = await preview({ 'r.yml': '- rubric: a\n- rubric: b\n' }, 'r.yml');
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /Loaded 2 rubric config\(s\)[\s\S]*#1 \(document\[0\]\[0\]\)[\s\S]*#2 \(document\[0\]\[1\]\)/,
    );
  });

  it('G-D: shows the records of a data set', async () => {
    const { code, stdout, stderr } = await preview({ 'd.jsonl': '{"a":"ü"}\n\n{"b":{"c":1}}\n' }, 'd.jsonl');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.replace(/from .*/, 'from …')).toBe(
      'Loaded 2 JSONL record(s) from …\n\nJSONL record #1 (line 1)\n{\n  "a": "ü"\n}\n' +
        '\nJSONL record #2 (line 3)\n{\n  "b": {\n    "c": 1\n  }\n}\n',
    );
  });

  it.each([
    ['none.yaml', {}, /none\.yaml.*does not exist/],
    ['folder.yaml', { 'folder.yaml/x': '' }, /is a directory/],
    ['notes.txt', { 'notes.txt': '' }, /Expected \.yaml, \.yml or \.jsonl/],
    ['d.jsonl', { 'd.jsonl': '{"a":1}\n[1]\n' }, /d\.jsonl:2:1: each line must be a JSON object/],
  ])('G-D: %s ends with 3 and says why on stderr', async (path, files, message) => {
    const { code, stdout, stderr } = await preview(files, path);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/^ {4}at /m);
  });

  it.each([
    ['YM-01', 'rubric: a\nrubric: b\nid: x\n', /r\.yaml:2:1: .*unique/i],
    [
      'YM-01',
      `- {id: x, rubric: a, model_info: {model: m}}\n- {id: x, rubric: b, model_info: {model: m}}\n`,
      /'x' is used twice, first on line 1/,
    ],
    ['YM-06', 'rubrics:\n  - <<: {a: 1}\n    <<: {b: 2}\n', /r\.yaml:3:\d+: .*unique/i],
    ['YM-07', 'rubrics:\n\t- id: x\n', /r\.yaml:2:\d+: .*tab/i],
    [
      'YM-09',
      'version: 1\nrubric: a\n---\nrubric: b\n---\nversion: 2\nrubric: c\n',
      /r\.yaml:6:\d+: version 2 differs from version 1 on line 1/,
    ],
    ['YM-10', '- a\n', /r\.yaml:1:1: no rubric entries. Expected: version: 1/],
    ['YM-10', 'hello\n', /r\.yaml:1:1: found the text 'hello' where rubrics should be/],
    ['YM-10', 'rubrics:\n', /r\.yaml:1:1: no rubric entries/],
    ['YM-10', 'rubic: x\n', /Warning: .*unknown key 'rubic'[\s\S]*Error: .*no rubric entries/],
  ])('%s: %j makes the file unusable, which ends with 3 and the place', async (_case, text, message) => {
    const { code, stderr } = await preview({ 'r.yaml': text }, 'r.yaml');
    expect(code).toBe(3);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/^ {4}at /m);
  });

  it('YM-02: reads YAML 1.2: no and on are text, and no numbers', async () => {
    const text =
      '- {id: no, rubric: r, system_prompt: yes, model_info: {model: m}}\n- {id: on, rubric: r, score_min: off}\n';
    const { code, stdout } = await preview({ 'r.yaml': text }, 'r.yaml');
    expect(code).toBe(0);
    expect(stdout).toMatch(/id: no[\s\S]*system_prompt: yes[\s\S]*id: on/);
    expect(stdout).toContain("score_min must be a number, not the text 'off'");
  });

  it('YM-04: 150 rubrics may share one model info through an alias', async () => {
    const entries = Array.from({ length: 150 }, (_, index) => `  - {id: r${index}, rubric: x, model_info: *m}\n`);
    const text = `shared: &m {model: openai/judge}\nrubrics:\n${entries.join('')}`;
    const { code, stdout } = await preview({ 'r.yaml': text }, 'r.yaml', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, command: 'preview', data: { kind: 'rubrics', usable: 150 } });
  });

  it('YM-09, D.6: a file with comments only holds nothing, and is told so', async () => {
    const { code, stdout, stderr } = await preview({ 'r.yaml': '# nothing yet\n' }, 'r.yaml');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Loaded 0 rubric config\(s\)/);
    expect(stderr).toMatch(/^Warning: .*holds no rubric entries\.\n$/);
  });

  it('AU-05: shows no keys', async () => {
    const files = {
      'r.yaml': judge.rubrics(', api_key: SECRET-9c1b'),
      'd.jsonl': jsonl([{ extra_info: { api_key: 'SECRET-9c1b' } }]),
    };
    for (const path of Object.keys(files)) {
      for (const flags of [[], ['--json']]) {
        const { stdout, stderr } = await preview(files, path, ...flags);
        expect(stdout).toContain('[secret]');
        expect(stdout + stderr).not.toContain('SECRET');
      }
    }
  });

  it('CL-14: a reader that leaves early is no error', async () => {
    const cwd = createProject({ 'big.jsonl': '{"text":"word word word word word"}\n'.repeat(20_000) });
    const script = `'${process.execPath}' '${CLI}' preview -p big.jsonl | head -1 >/dev/null; exit \${PIPESTATUS[0]}`;
    for (let run = 0; run < 5; run++) {
      const ended = await new Promise((done) => {
        const shell = spawn('bash', ['-c', script], { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
        let stderr = '';
        shell.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
        shell.on('close', (code) => done({ code, stderr }));
      });
      expect(ended).toEqual({ code: 0, stderr: '' });
    }
  });

  it('loads neither Nest nor a model client, and for a data set no YAML', async () => {
    const cwd = judge.project();
    const env = { NODE_DEBUG: 'esm,module' };
    const yaml = await runCli(['preview', '-p', 'rubric_configs.yaml'], { cwd, env });
    expect(yaml.stderr).toMatch(/node_modules\/yaml\//);
    expect(yaml.stderr).not.toMatch(/node_modules\/(@nestjs|nest-commander|class-validator|openai|undici)\//);
    const records = await runCli(['preview', '-p', 'd.jsonl'], { cwd, env });
    expect(records.stderr).not.toMatch(/node_modules\/(?!nestjs-osmosis)/);
  });
});
