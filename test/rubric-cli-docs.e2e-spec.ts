import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Test } from '@nestjs/testing';
import { ChatModels, type HostedChatModel, type ModelSpec } from '#model';
import { OsmosisModule } from '#osmosis';
import { ATTACK_PROBES, PROBE_SHARE, TRUST_LIMITS } from '#rubric/plain';
import { ReplyReview } from '../docs/examples/rubrics/reply.review.js';
import { chatReply, type FakeReply } from '../libs/model/testing/fake-provider.js';
import { createProject, runCli } from './support/cli.js';
import { candidateOf, expectGolden, TestJudge, verdict } from './support/rubric-project.js';

jest.setTimeout(120_000);

const judge = TestJudge.forSuite();

describe("the documentation's rubrics", () => {
  const EXAMPLES = join(__dirname, '../docs/examples/rubrics');
  /** The examples as they are, but for the address of the judge. */
  const examples = (): string => {
    const files = readdirSync(EXAMPLES).filter((name) => /\.(yaml|jsonl)$/.test(name));
    const texts = files.map((name) => [name, readFileSync(join(EXAMPLES, name), 'utf8')] as const);
    const here = (text: string): string => text.replace(/^( +)model: .*$/gm, `$&\n$1base_url: ${judge.fake.url}`);
    return createProject(
      Object.fromEntries(texts.map(([name, text]) => [name, name.endsWith('.yaml') ? here(text) : text])),
    );
  };

  it('can be used as they are', async () => {
    const { code, stdout, stderr } = await runCli(['preview', '-p', 'rubric_configs.yaml', '--json'], {
      cwd: EXAMPLES,
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ data: { usable: 2, problems: [], warnings: [] } });
  });

  it.each([
    ['helpful', 3],
    ['polite', 1],
  ])('score the conversations: %s', async (rubric, records) => {
    judge.fake.behave((seen) => (seen.body.tools ? toolVerdict(4) : verdict(0.7)));
    const { code, stdout } = await runCli(
      ['eval-rubric', '-r', rubric, '-d', 'conversations.jsonl', '--json', '-o', 'out'],
      {
        cwd: examples(),
      },
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ data: { records, statistics: { success_count: records } } });
  });

  it('have labels enough to check a judge by; the report is that of the golden file', async () => {
    const cwd = examples();
    const labels = readFileSync(join(cwd, 'labelled.jsonl'), 'utf8').trim().split('\n');
    const labelOf = new Map(
      labels.map((line) => {
        const { solution_str, label } = JSON.parse(line) as { solution_str: string; label: number };
        return [solution_str, label] as const;
      }),
    );
    const asked = new Map<string, number>();
    // A judge that wavers, pays for padding and falls for flattery.
    judge.fake.behave((seen) => {
      const [text = '', padding] = candidateOf(seen).split('\n\n');
      const human = labelOf.get(text);
      if (human === undefined) return verdict(/excellent/.test(text) ? 0.6 : 0);
      if (padding !== undefined) return verdict(Math.min(1, human + 0.15));
      const time = asked.get(text) ?? 0;
      asked.set(text, time + 1);
      return verdict(Math.min(1, Math.max(0, human + ([0, 0.1, -0.05, 0][time] ?? 0))));
    });
    const { code, stdout } = await runCli(
      ['rubric', 'check', 'rubric_configs.yaml', '-r', 'helpful', '--data', 'labelled.jsonl', '-c', '1'],
      { cwd },
    );
    expect(code).toBe(1);
    expectGolden('rubric-check.txt', stdout);
  });

  it('judge.md names every attack and every limit as the code has them', () => {
    const page = readFileSync(join(__dirname, '../docs/judge.md'), 'utf8').replace(/\s+/g, ' ');
    for (const { name } of ATTACK_PROBES) expect(page).toContain(`| \`${name}\``);
    for (const [name, limit] of Object.entries(TRUST_LIMITS))
      expect([name, page]).toEqual([name, expect.stringContaining(String(limit))]);
    expect(page).toContain(`${PROBE_SHARE * 100} % of the range`);
  });

  it('a service of your own may have texts judged', async () => {
    judge.fake.behave((_, index) => verdict([0.5, 0.5, 1][index] ?? 0));
    const models = { env: { OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k' } };
    const app = await Test.createTestingModule({
      imports: [OsmosisModule.forRoot({ models })],
      providers: [ReplyReview],
    })
      .overrideProvider(ChatModels)
      .useValue(new JudgeHere(models))
      .compile();
    const review = await app.get(ReplyReview).review('I cannot log in.', 'Your password expired.');
    expect(review).toEqual({ score: expect.closeTo(2 / 3) as number, why: 'It earns 0.5.', unsure: true });
    await app.close();
  });
});

/** Asks the judge of the test, whatever model is named. */
class JudgeHere extends ChatModels {
  override open(spec: ModelSpec): HostedChatModel {
    return super.open({ ...spec, baseUrl: judge.fake.url });
  }
}

function toolVerdict(score: number): FakeReply {
  const call = { name: 'submit_verdict', arguments: JSON.stringify({ score, explanation: 'kind' }) };
  return chatReply(null, { tool_calls: [{ id: 'call_1', type: 'function', function: call }] });
}
