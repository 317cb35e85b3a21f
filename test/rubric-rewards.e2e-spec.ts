import { Injectable } from '@nestjs/common';
import { Agent, Reward, RolloutTrajectory, Rubric } from '#osmosis';
import { chatReply, FakeProvider } from '../libs/model/testing/fake-provider.js';
import { startRig, type Rig } from './support/rig.js';

const verdict = (score: unknown): object => chatReply(JSON.stringify({ score, explanation: 'because' }));

/** Rewards of every kind on one agent: classic, full, judged. */
describe('rewards and rubrics together', () => {
  let judge: FakeProvider;
  let rig: Rig;

  beforeAll(async () => {
    judge = await FakeProvider.start();

    @Agent({ name: 'scored' })
    class ScoredAgent {
      @Reward({ weight: 2 })
      exact(solutionStr: string, groundTruth: string): number {
        return solutionStr === groundTruth ? 1 : 0;
      }

      @Reward({ range: [0, 10] })
      brief(trajectory: RolloutTrajectory): number {
        return trajectory.messages.length;
      }

      @Rubric({ weight: 0.5 })
      polite = 'Is the answer polite?';
    }

    @Injectable()
    class Judges {
      @Rubric({ id: 'tailored' })
      tailor(trajectory: RolloutTrajectory): { rubric: string } {
        return { rubric: `Does it answer: ${trajectory.question}` };
      }
    }

    rig = await startRig({
      providers: [ScoredAgent, Judges],
      osmosis: {
        models: { retry: { maxRetries: 0 } },
        rubrics: { defaults: { modelInfo: { provider: 'openai', model: 'judge-1', apiKey: 'k', baseUrl: judge.url } } },
      },
      trainer: { script: ['42'] },
    });
  });
  afterAll(async () => {
    await rig.close();
    await judge.stop();
  });

  it('each is a component, and the sum is the reward', async () => {
    judge.behave([verdict(0.5)]);
    const result = await rig.run({ metadata: { ground_truth: '42' } });
    expect(result.extra_fields).toMatchObject({
      rewards: {
        exact: { value: 1, weight: 2 },
        brief: { value: 2, weight: 1 },
        polite: { value: 0.5, weight: 0.5 },
        tailored: { value: 0.5, weight: 1 },
      },
    });
    expect(result.reward).toBeCloseTo(2 + 2 + 0.25 + 0.5);
    const prompts = judge.seen.map((request) => JSON.stringify(request.body));
    expect(prompts.some((prompt) => prompt.includes('Is the answer polite?'))).toBe(true);
    expect(prompts.some((prompt) => prompt.includes('Does it answer: Please help'))).toBe(true);
  });

  it('a judge that cannot be read leaves the reward absent, and is blamed for it', async () => {
    judge.behave([verdict('8/10')]);
    const result = await rig.run({ metadata: { ground_truth: '42' } });
    expect(result).toMatchObject({
      status: 'COMPLETED',
      extra_fields: { failure: { class: 'judge', phase: 'judge', code: 'JUDGE_FAILED' } },
    });
    expect(result.reward).toBeUndefined();
  });

  it('without a ground truth the rewards that need one have a failure, the others a value', async () => {
    judge.behave([verdict(1)]);
    const result = await rig.run();
    expect(result.reward).toBeUndefined();
    expect(result.extra_fields).toMatchObject({
      rewards: {
        exact: { failure: { message: expect.stringContaining('needs a ground truth') } },
        brief: { value: 2 },
      },
    });
  });
});
