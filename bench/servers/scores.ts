import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Agent, AgentRegistry, exactMatch, OsmosisModule, Reward, RolloutTrajectory } from 'nestjs-osmosis';
import { InvocationScope } from '../../libs/discovery/index.js';
import { Cancellation, type RolloutRequest } from '../../libs/domain/index.js';
import { RewardService } from '../../libs/reward/index.js';
import { costOf } from '../support/loop.js';
import { serveBenchmark } from './program.js';

/** What it costs to score a rollout, by the number of its rewards. */
@Agent({ name: 'one' })
class OneReward {
  @Reward()
  exact(solution: string, truth: string): number {
    return exactMatch(solution, truth);
  }
}

@Agent({ name: 'three' })
class ThreeRewards {
  @Reward()
  exact(solution: string, truth: string): number {
    return exactMatch(solution, truth);
  }

  @Reward({ weight: 0.5 })
  async length(solution: string, _truth: string): Promise<number> {
    return solution.length < 100 ? 1 : 0;
  }

  @Reward({ weight: 0.5 })
  turns(trajectory: RolloutTrajectory): number {
    return trajectory.messages.length < 10 ? 1 : 0;
  }
}

@Module({ imports: [OsmosisModule.forRoot()], providers: [OneReward, ThreeRewards] })
class ScoresModule {}

const app = await NestFactory.create(ScoresModule, new FastifyAdapter(), { logger: ['error'] });
await app.init();
const agents = app.get(AgentRegistry);
const rewards = app.get(RewardService);
const request = { rolloutId: 'r', metadata: { ground_truth: '5' } } as unknown as RolloutRequest;
const metrics = {
  totalLatencyMs: 1,
  llmLatencyMs: 1,
  toolLatencyMs: 0,
  numLlmCalls: 1,
  numToolCalls: 0,
  promptTokens: 1,
  responseTokens: 1,
  maxContextTokens: 2,
};
const messages = [
  { role: 'user', content: 'What is 2 + 3?' },
  { role: 'assistant', content: '5' },
];

const costs: Record<string, number> = { 'the reward method alone': await costOf(() => exactMatch('5', '5')) };
for (const name of ['one', 'three']) {
  const agent = agents.get(name);
  const scope = new InvocationScope(request);
  const cancellation = new Cancellation();
  const score = (): unknown =>
    rewards.score(
      agent,
      new RolloutTrajectory({ request, messages, finishReason: 'stop', metrics }),
      scope,
      cancellation,
    );
  costs[`a rollout with ${name}`] = await costOf(score);
}
serveBenchmark('', { costs: () => costs }, () => app.close());
