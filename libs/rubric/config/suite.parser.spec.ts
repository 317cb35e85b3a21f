import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { findRubricConfig } from './config.discovery.js';
import { formatFileProblem, RubricFileError } from './file.problem.js';
import { loadRubricSuite, parseRubrics } from './suite.parser.js';
import type { ParsedRubrics } from './rubric.suite.js';

const MODEL = 'model_info: {model: openai/gpt-5-mini}';

const parse = (...lines: string[]): ParsedRubrics => parseRubrics(lines.join('\n'), 'r.yaml');
const problems = (...lines: string[]): string[] => {
  try {
    return parse(...lines).problems.map((problem) => formatFileProblem('r.yaml', problem));
  } catch (error) {
    if (!(error instanceof RubricFileError)) throw error;
    return error.problems.map((problem) => formatFileProblem('r.yaml', problem));
  }
};

describe('a rubric file', () => {
  it('C.1: gives its rubrics, with the defaults of their document', () => {
    const {
      suite,
      items,
      problems: found,
    } = parse(
      'version: 1',
      'default_score_min: 0',
      'default_score_max: 10',
      'default_model_info: {provider: openai, model: gpt-4o, api_key_env: MY_KEY, timeout: 40}',
      'default_ground_truth: yes it is',
      'rubrics:',
      '  - id: " a "',
      '    title: A',
      '    rubric: |',
      '      line 1',
      '      line 2',
      '  - id: b',
      '    rubric: text',
      '    score_max: 5',
      '    model_info: {model: gpt-4.1}',
      '  - id: c',
      '    rubric: text',
      '    model_info: {provider: anthropic, model: claude-x}',
    );
    expect(found).toEqual([]);
    expect(suite.version).toBe(1);
    expect(suite.availableIds()).toEqual(['a', 'b', 'c']);
    expect(items.map((item) => item.label)).toEqual(['rubrics[0]', 'rubrics[1]', 'rubrics[2]']);
    expect(suite.get('a')).toMatchObject({
      rubricText: 'line 1\nline 2',
      scoreMin: 0,
      scoreMax: 10,
      groundTruth: 'yes it is',
      sourceLabel: 'r.yaml:rubrics[0]',
      modelInfo: { provider: 'openai', model: 'gpt-4o', apiKeyEnv: 'MY_KEY', timeout: 40 },
    });
    expect(suite.get('b')).toMatchObject({
      scoreMax: 5,
      modelInfo: { provider: 'openai', model: 'gpt-4.1', apiKeyEnv: 'MY_KEY' },
    });
  });

  it('H 8: the key of the default provider does not follow to another one', () => {
    const { suite } = parse(
      'default_model_info: {provider: openai, model: gpt-4o, api_key_env: MY_KEY, timeout: 40}',
      'rubrics: [{id: c, rubric: t, model_info: {provider: anthropic, model: claude-x}}]',
    );
    expect(suite.get('c').modelInfo).toMatchObject({ provider: 'anthropic', apiKeyEnv: null, timeout: 40 });
  });

  it('H 8: an explicit null is as good as nothing', () => {
    const { suite } = parse(
      'default_model_info: {model: openai/gpt-4o}',
      'default_score_max: 3',
      'rubrics: [{id: c, rubric: t, model_info: null, score_max: ~}]',
    );
    expect(suite.get('c')).toMatchObject({ scoreMax: 3, modelInfo: { model: 'openai/gpt-4o' } });
  });

  it('H 8: entries are told apart in a list at the root and deep down', () => {
    const labels = (...lines: string[]): string[] => parse(...lines).items.map((item) => item.label);
    expect(labels('- {rubric: a}', '- {rubric: b}')).toEqual(['document[0][0]', 'document[0][1]']);
    expect(labels('rubric: a')).toEqual(['document[0]']);
    expect(labels('g1:', '  - {rubric: a}', 'nested:', '  - [{rubric: b}]')).toEqual(['g1[0]', 'nested[0][0]']);
  });

  it('H 8: a rubric that is no text is a problem; one inside a model info is no entry', () => {
    expect(problems('rubrics:', `  - {id: a, rubric: 5, ${MODEL}}`)).toEqual([
      'r.yaml:2:21: the rubric at rubrics[0] needs rubric, as text that is not blank; it is 5',
    ]);
    const { items } = parse('default_model_info: {model: m, rubric: x}', `rubrics: [{id: a, rubric: t}]`);
    expect(items).toHaveLength(1);
  });

  it('H 8, H 9: lists every problem with its place', () => {
    expect(
      problems(
        'rubrics:',
        '  - rubric: text',
        '  - {id: 5, rubric: " ", score_min: off, model_info: {model: 3, timeout: 0}}',
        `  - {id: x, rubric: t, score_min: 2, score_max: 1, ${MODEL}, extra_info: {}}`,
      ),
    ).toEqual([
      'r.yaml:2:5: the rubric at rubrics[0] needs id, as text that is not blank; it is missing',
      'r.yaml:2:5: the rubric at rubrics[0] has no model_info, and its document no default_model_info',
      'r.yaml:3:10: the rubric at rubrics[1] needs id, as text that is not blank; it is 5',
      'r.yaml:3:21: the rubric at rubrics[1] needs rubric, as text that is not blank; it is blank',
      'r.yaml:3:62: model must be text, not 3',
      'r.yaml:3:74: timeout must be seconds above 0, not 0',
      "r.yaml:3:37: score_min must be a number, not the text 'off'",
      "r.yaml:4:92: a rubric takes no 'extra_info': that belongs to the records",
      'r.yaml:4:24: score_min (2) must be below score_max (1)',
    ]);
  });

  it('G-C: default_extra_info is refused', () => {
    expect(problems('default_extra_info: {}', `rubrics: [{id: a, rubric: t, ${MODEL}}]`)[0]).toMatch(
      /r\.yaml:1:1: .*default_extra_info/,
    );
  });

  it('finds a rubric by its id, or without regard to case when that fits one only', () => {
    const { suite } = parse('rubrics:', `  - {id: Ab, rubric: t, ${MODEL}}`, `  - {id: x, rubric: t, ${MODEL}}`);
    expect(suite.get('Ab').rubricId).toBe('Ab');
    expect(suite.get('aB').rubricId).toBe('Ab');
    expect(() => suite.get('y')).toThrow(/r\.yaml.*'y'.*Ab, x/);
  });

  it('AU-05: a key in the file is shown by nothing that is read from it', () => {
    const parsed = parse(`rubrics: [{id: a, rubric: t, model_info: {model: m, api_key: SECRET-9c1b}}]`);
    expect(parsed.suite.get('a').modelInfo.apiKey).toBeTruthy();
    expect(inspect(parsed, { depth: 9 }) + JSON.stringify(parsed)).not.toContain('SECRET-9c1b');
  });
});

describe('YAML', () => {
  it('YM-01: a key twice and an id twice are told with both places', () => {
    expect(problems('rubrics:', '  - id: a', '    rubric: x', '    rubric: y')[0]).toMatch(/^r\.yaml:4:5: .*unique/);
    expect(
      problems('rubrics:', `  - {id: helpful, rubric: t, ${MODEL}}`, `  - {id: helpful, rubric: t, ${MODEL}}`),
    ).toEqual(["r.yaml:3:10: rubric id 'helpful' is used twice, first on line 2"]);
  });

  it('YM-02: is read by version 1.2: no, on and yes are text', () => {
    const { suite } = parse(
      'rubrics:',
      `  - {id: no, rubric: t, system_prompt: yes, ${MODEL}}`,
      `  - {id: on, rubric: t, ${MODEL}}`,
    );
    expect(suite.availableIds()).toEqual(['no', 'on']);
    expect(suite.get('no').systemPrompt).toBe('yes');
  });

  it('YM-04: 150 aliases are honest, a billion laughs are not', () => {
    const lines = Array.from({ length: 150 }, (_, index) => `  - {id: r${index}, rubric: t, model_info: *m}`);
    expect(parse('default_model_info: &m {model: openai/x}', 'rubrics:', ...lines).suite.configs.size).toBe(150);
    const bomb = ['a: &a0 [x]'];
    for (let index = 1; index < 12; index++) {
      bomb.push(`b${index}: &a${index} [${Array.from({ length: 9 }, () => `*a${index - 1}`).join(', ')}]`);
    }
    expect(problems(...bomb)[0]).toMatch(/expand to more than/);
    expect(problems('a: &a [*a]')[0]).toMatch(/contains itself/);
  });

  it('YM-06: of merged maps the first wins, own keys before all; two merge keys are an error', () => {
    const { suite } = parse(
      'bases: [&a {score_max: 1, score_min: 0}, &b {score_max: 5, score_min: -5}]',
      'rubrics:',
      `  - {<<: [*a, *b], id: x, rubric: t, ${MODEL}}`,
      `  - {<<: *b, score_max: 7, id: y, rubric: t, ${MODEL}}`,
    );
    expect(suite.get('x')).toMatchObject({ scoreMin: 0, scoreMax: 1 });
    expect(suite.get('y')).toMatchObject({ scoreMin: -5, scoreMax: 7 });
    expect(problems('a: &a {x: 1}', 'rubrics:', '  - <<: *a', '    <<: *a', '    rubric: t')[0]).toMatch(/^r\.yaml:4/);
  });

  it('YM-07: a tab as indentation is named with its line; one before a comment is fine', () => {
    expect(problems('rubrics:', '\t- id: x')[0]).toMatch(/^r\.yaml:2:.*tab/i);
    const { suite } = parse('rubrics:', '  - id: x\t# ok', '    rubric: t', `    ${MODEL}`);
    expect(suite.availableIds()).toEqual(['x']);
  });

  it('YM-09: reads all documents; mixed versions and files without entries are told', () => {
    const three = ['version: 1', `rubrics: [{id: a, rubric: t, ${MODEL}}]`, '---', `- {id: b, rubric: t, ${MODEL}}`];
    const { suite } = parse(...three, '---', '# nothing');
    expect(suite.availableIds()).toEqual(['a', 'b']);
    expect(problems(...three, '---', 'version: 2', `rubrics: [{id: c, rubric: t, ${MODEL}}]`)).toEqual([
      'r.yaml:6:10: version 2 differs from version 1 on line 1',
    ]);
    expect(problems('version: 0', `rubrics: [{id: c, rubric: t, ${MODEL}}]`)[0]).toMatch(/unsupported/);
    for (const version of ['true', 'one', '-1', '1.5']) {
      expect(problems(`version: ${version}`, `rubrics: [{id: c, rubric: t, ${MODEL}}]`)[0]).toMatch(/whole number/);
    }
  });

  it.each([['- a'], ['hello'], ['rubrics:'], ['rubic: x'], ['rubrics: {}']])(
    'YM-10: %j is told with place and expected shape',
    (text) => {
      expect(problems(text)[0]).toMatch(/^r\.yaml:1:1: .*Expected: version: 1/);
    },
  );

  it('YM-10: a typo is warned of', () => {
    const { warnings } = parse('rubic: x', `rubrics: [{id: a, rubic: t, rubric: t, ${MODEL}}]`);
    expect(warnings.map((warning) => warning.message)).toEqual([
      expect.stringContaining("unknown key 'rubic' in the rubric at rubrics[0]"),
      expect.stringContaining("unknown key 'rubic' is ignored"),
    ]);
  });
});

describe('files', () => {
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'rubric-'));
  });

  afterEach(() => rm(directory, { recursive: true }));

  it('a missing file, a directory, other encodings and empty files are told', async () => {
    const path = join(directory, 'r.yaml');
    await expect(loadRubricSuite(path)).rejects.toThrow(/r\.yaml.*does not exist/);
    await expect(loadRubricSuite(directory)).rejects.toThrow(/is a directory/);
    await writeFile(path, Buffer.from([0x61, 0x3a, 0xff]));
    await expect(loadRubricSuite(path)).rejects.toThrow(/UTF-8/);
    await writeFile(path, '# only a comment\n');
    await expect(loadRubricSuite(path)).rejects.toThrow(/no rubric entries/);
    await writeFile(path, `\ufeffrubrics: [{id: a, rubric: t, ${MODEL}}]`);
    expect((await loadRubricSuite(path)).availableIds()).toEqual(['a']);
  });

  it('C.1: the file is looked for beside the data, here, and in examples', async () => {
    const data = join(directory, 'data', 'd.jsonl');
    await mkdir(join(directory, 'data'));
    await mkdir(join(directory, 'examples'));
    await expect(findRubricConfig(null, data, directory)).rejects.toThrow(/--config/);
    for (const place of ['examples', '.', 'data']) {
      const path = join(directory, place, 'rubric_configs.yaml');
      await writeFile(path, '');
      expect(await findRubricConfig(null, data, directory)).toBe(path);
    }
    await expect(findRubricConfig('data', data, directory)).rejects.toThrow(/directory/);
    expect(await findRubricConfig('data/d.yaml', data, directory).catch(String)).toMatch(/does not exist/);
  });
});
