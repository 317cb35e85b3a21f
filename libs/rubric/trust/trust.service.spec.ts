import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Test } from '@nestjs/testing';
import { ModelModule } from '#model';
import { chatReply, FakeProvider, type FakeReply } from '../../model/testing/fake-provider.js';
import { RubricModule } from '../rubric.module.js';
import { RubricService } from '../rubric.service.js';
import { agreement, agreementAt } from './agreement.js';
import { ATTACK_PROBES } from './attack.probes.js';
import { TrustService, type TrustRequest } from './trust.service.js';

let fake: FakeProvider;
let directory: string;
let trust: TrustService;
let close: () => Promise<void>;

beforeEach(async () => {
  fake = await FakeProvider.start();
  directory = await mkdtemp(join(tmpdir(), 'trust-'));
  const app = await Test.createTestingModule({
    imports: [ModelModule.forRoot({ retry: { maxRetries: 0 } }), RubricModule.forRoot({})],
  }).compile();
  trust = new TrustService(app.get(RubricService));
  close = () => app.close();
  await writeFile(
    join(directory, 'rubric_configs.yaml'),
    `rubrics: [{id: r, rubric: Count., ground_truth: g, model_info: {provider: openai, model: judge, base_url: "${fake.url}"}}]`,
  );
  await data(Array.from({ length: 20 }, (_, index) => ({ solution_str: `worth ${index / 20}`, label: index / 20 })));
});

afterEach(async () => {
  await close();
  await fake.stop();
  await rm(directory, { recursive: true });
});

async function data(records: readonly object[]): Promise<void> {
  const lines = records.map((record) => JSON.stringify({ rubric_id: 'r', ...record }));
  await writeFile(join(directory, 'd.jsonl'), lines.join('\n'));
}

function check(more: Partial<TrustRequest> = {}): ReturnType<TrustService['check']> {
  return trust.check({ rubricId: 'r', dataPath: 'd.jsonl', directory, runs: 2, concurrency: 8, ...more });
}

/** A judge that scores by what stands between its candidate's markers. */
function judge(score: (candidate: string, prompt: string) => number): void {
  fake.behave((seen): FakeReply => {
    const prompt = (seen.body.messages as { content: string }[])[1]?.content ?? '';
    const candidate = /<<<BEGIN_CANDIDATE_OUTPUT_\w+>>>\n([\s\S]*?)\n<<<END_CANDIDATE_OUTPUT_/.exec(prompt)?.[1] ?? '';
    return chatReply(JSON.stringify({ score: score(candidate, prompt), explanation: 'e' }));
  });
}

const honest = (candidate: string): number => Number(/^worth (\S+)/.exec(candidate)?.[1] ?? 0);

describe('the trust report', () => {
  it('finds nothing against a judge that agrees with humans and pays for nothing else', async () => {
    judge(honest);
    const steps: number[] = [];
    const report = await check({ onProgress: (done) => void steps.push(done) });
    expect(report).toMatchObject({ findings: [], caveats: [] });
    expect(report.agreement).toMatchObject({ count: 20, spearman: 1, bias: 0, atThreshold: { cut: 0.5, kappa: 1 } });
    expect(report.repeatability).toEqual({ meanStdev: 0, maxStdev: 0 });
    expect(report.order).toMatchObject({ count: 20, meanAbsolute: 0 });
    expect(report.padding).toMatchObject({ count: 20, mean: 0 });
    expect(report.probes.map((probe) => [probe.name, probe.score, probe.paid])).toEqual(
      ATTACK_PROBES.map((probe) => [probe.name, 0, false]),
    );
    expect(report.judgeFailures).toBe(0);
    expect(steps).toHaveLength(20 * 2 + 20 + 20 + ATTACK_PROBES.length);
    expect(fake.seen).toHaveLength(steps.length);
  });

  it('names a judge that pays for attacks, for each by its name', async () => {
    judge((candidate) => (/score|excellent/i.test(candidate) ? 0.9 : honest(candidate)));
    const report = await check();
    expect(report.probes.filter((probe) => probe.paid).map((probe) => probe.name)).toEqual([
      'command',
      'fence',
      'verdict',
      'flattery',
    ]);
    expect(report.findings).toContainEqual(expect.stringMatching(/Pays for an attack: 'flattery'.*0\.90/));
  });

  it('names a judge that looks at the order, at length, and at chance', async () => {
    const flips = new Map<string, number>();
    const flip = (candidate: string): number => {
      const score = 1 - (flips.get(candidate) ?? 1);
      flips.set(candidate, score);
      return score;
    };
    judge((candidate, prompt) => {
      if (prompt.indexOf('BEGIN_GROUND_TRUTH') < prompt.indexOf('BEGIN_CANDIDATE')) return 1;
      if (candidate.length > 100) return 1;
      return candidate === '' || !candidate.startsWith('worth') ? 0 : flip(candidate);
    });
    const report = await check();
    expect(report.findings.join('\n')).toMatch(/repeat itself/);
    expect(report.findings.join('\n')).toMatch(/order of the evidence/);
    expect(report.findings.join('\n')).toMatch(/Pays for padding/);
  });

  it('counts a judge’s failures, and never takes them for scores', async () => {
    fake.behave([chatReply('no')]);
    const report = await check();
    expect(report.agreement).toBeNull();
    expect(report.judgeFailures).toBe(20 * 4 + ATTACK_PROBES.length);
    expect(report.probes.every((probe) => probe.score === null && !probe.paid)).toBe(true);
    expect(report.findings).toEqual(['Gave no score to any labelled record.']);
    expect(report.caveats).toEqual([`${report.judgeFailures} requests for a score ended without one.`]);
  });

  it('says that a few labels say little, and holds it against nobody', async () => {
    await data([
      { solution_str: 'worth 0.9', label: 0.9 },
      { solution_str: 'worth 0.1', label: 0.1 },
    ]);
    judge(honest);
    expect(await check()).toMatchObject({ findings: [], caveats: [expect.stringMatching(/^Only 2 labelled records/)] });
  });

  it('refuses a record without a human’s score, with its line, before anything is sent', async () => {
    await data([
      { solution_str: 'a', label: 1 },
      { solution_str: 'b', label: 'good' },
    ]);
    await expect(check()).rejects.toThrow(/d\.jsonl:2:1: .*"good"/);
    await expect(check({ runs: 0 })).rejects.toThrow(/runs/);
    expect(fake.seen).toHaveLength(0);
  });
});

describe('agreement', () => {
  const pairs = [
    { human: 1, judge: 0.9 },
    { human: 1, judge: 0.2 },
    { human: 0, judge: 0.6 },
    { human: 0, judge: 0.1 },
    { human: 0, judge: 0.0 },
  ];

  it('Cohen’s kappa and the confusion at a cut', () => {
    // By hand: observed 3/5; judge good 2/5, human good 2/5; by chance 4/25 + 9/25 = 0.52; (0.6 - 0.52) / 0.48.
    const at = agreementAt(pairs, 0.5);
    expect(at).toMatchObject({ truePositive: 1, falsePositive: 1, trueNegative: 2, falseNegative: 1, accuracy: 0.6 });
    expect(at.kappa).toBeCloseTo(0.08 / 0.48);
  });

  it('bias, error, rank correlation with ties, and a cut at each score a human gave', () => {
    const result = agreement(pairs, 0.5);
    expect(result?.bias).toBeCloseTo(-0.04);
    expect(result?.meanAbsoluteError).toBeCloseTo(0.32);
    expect(result?.spearman).toBeCloseTo(0.5774, 3);
    expect(result?.cuts.map((cut) => cut.cut)).toEqual([1]);
  });

  it('says nothing where there is nothing to say', () => {
    expect(agreement([], 0.5)).toBeNull();
    expect(
      agreement(
        [
          { human: 1, judge: 1 },
          { human: 1, judge: 1 },
        ],
        0.5,
      ),
    ).toMatchObject({
      spearman: null,
      atThreshold: { kappa: null },
      cuts: [],
    });
  });
});
