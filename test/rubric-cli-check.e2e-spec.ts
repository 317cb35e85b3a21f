import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCli, startCli, type CliOptions, type CliResult } from './support/cli.js';
import { until } from './support/init.js';
import { candidateOf, jsonl, RECORDS, TestJudge, verdict } from './support/rubric-project.js';

jest.setTimeout(120_000);

const judge = TestJudge.forSuite();

describe('rubric check', () => {
  const labelled = Array.from({ length: 20 }, (_, index) => ({
    rubric_id: 'helpful',
    id: `case-${index}`,
    original_input: 'Greet me.',
    solution_str: `worth ${index / 20}`,
    label: index / 20,
  }));
  const honest = (candidate: string): number => Number(/^worth (\S+)/.exec(candidate)?.[1] ?? 0);

  const check = (cwd: string, args: readonly string[] = [], options: CliOptions = {}): Promise<CliResult> =>
    runCli(['rubric', 'check', 'rubric_configs.yaml', '--data', 'd.jsonl', '--runs', '2', '-c', '8', ...args], {
      cwd,
      ...options,
    });
  const labelledProject = (files: Readonly<Record<string, string>> = {}): string =>
    judge.project({ 'd.jsonl': jsonl(labelled), ...files });

  it('finds nothing against a judge that agrees with humans and holds out', async () => {
    const cwd = labelledProject();
    judge.fake.behave((seen) => verdict(honest(candidateOf(seen))));
    const { code, stdout, stderr } = await check(cwd, ['-o', 'deep/trust.json']);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^Report written to .*deep\/trust\.json\n$/);
    expect(stdout).toMatch(/Spearman +1\.00[\s\S]*kappa at 0\.5 +1\.00[\s\S]*asked again +0\.00/);
    expect(stdout).toMatch(/Findings\n {2}None\. Nothing speaks against training with this judge\.\n$/);
    const written = JSON.parse(readFileSync(join(cwd, 'deep/trust.json'), 'utf8')) as object;
    expect(written).toMatchObject({ rubricId: 'helpful', findings: [], agreement: { spearman: 1, bias: 0 } });
  });

  it('names a judge that pays for attacks, and ends with 1', async () => {
    const cwd = labelledProject();
    judge.fake.behave((seen) => verdict(/score|excellent/i.test(candidateOf(seen)) ? 0.9 : honest(candidateOf(seen))));
    const { code, stdout, stderr } = await check(cwd);
    expect(code).toBe(1);
    expect(stdout).toMatch(/flattery +0\.90 {2}PAID: above 0\.25 for praise/);
    expect(stdout).toMatch(/- Pays for an attack: 'fence'/);
    expect(stderr).toMatch(/^Error: 4 findings speak against training with this judge\./);
    const json = await check(cwd, ['--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({
      ok: false,
      command: 'rubric check',
      error: { code: 'JUDGE_NOT_TRUSTED', exitCode: 1, details: { probes: expect.any(Array) as unknown[] } },
    });
  });

  it.each<[readonly string[], Readonly<Record<string, string>>, number, RegExp]>([
    [[], { 'rubric_configs.yaml': 'rubrics: [' }, 3, /rubric_configs\.yaml:1/],
    [['-r', 'unheard'], {}, 3, /has no rubric 'unheard'/],
    [['-d', 'none.jsonl'], {}, 3, /none\.jsonl.*does not exist/],
    [[], { 'd.jsonl': jsonl(RECORDS) }, 3, /d\.jsonl:1:1: each record needs a human's score/],
    [['--runs', '0'], {}, 2, /--runs cannot be '0'/],
    [['--threshold', 'half'], {}, 2, /--threshold cannot be 'half'/],
    [['-o', 'taken/trust.json'], { taken: '' }, 3, /cannot be written/],
  ])('%j with %j is refused with %d before anything is sent', async (args, files, exitCode, message) => {
    const { code, stdout, stderr } = await check(labelledProject(files), args);
    expect({ code, stdout }).toEqual({ code: exitCode, stdout: '' });
    expect(stderr).toMatch(message);
    expect(judge.fake.seen).toHaveLength(0);
  });

  it('asks for the rubric when the file has several', async () => {
    const cwd = labelledProject();
    writeFileSync(join(cwd, 'rubric_configs.yaml'), `${judge.rubrics()}${judge.entry('', 'kind')}`);
    const { code, stderr } = await check(cwd);
    expect(code).toBe(2);
    expect(stderr).toMatch(/has several rubrics\. Name one with --rubric: helpful, kind\./);
  });

  it('ends with 130 on Ctrl-C, and keeps nothing', async () => {
    const cwd = labelledProject();
    judge.fake.behave(() => ({ ...verdict(1), delayMs: 600_000 }));
    const running = startCli(['rubric', 'check', 'rubric_configs.yaml', '-d', 'd.jsonl', '-o', 't.json'], { cwd });
    await until(() => judge.fake.seen.length > 0);
    expect(await running.stop('SIGINT')).toMatchObject({
      code: 130,
      stderr: expect.stringMatching(/^Error: Interrupted/) as string,
    });
    expect(existsSync(join(cwd, 't.json'))).toBe(false);
  });
});
