import { Inject, Injectable, Logger } from '@nestjs/common';
import { LagWatchdog, type AgentDescriptor } from '#agent';
import type { InvocationScope } from '#discovery';
import { failureOf, OsmosisError, type Cancellation, type Failure, type RewardComponent } from '#domain';
import { aggregate } from './reward.aggregation.js';
import { rewardTimedOut } from './reward.error.js';
import { REWARD_OPTIONS, type RewardModuleOptions } from './reward.options.js';
import { RewardRegistry } from './reward.registry.js';
import type { RewardDescriptor, RewardScore, ValueReward } from './reward.types.js';
import { requireScore } from './reward.value.js';
import type { RolloutTrajectory } from './rollout.trajectory.js';

const UNSCORED: RewardScore = { reward: null, components: [] };

/** Computes an agent's reward. Never throws for what user code does; a reward without a value says why. */
@Injectable()
export class RewardService {
  private readonly logger = new Logger('RewardService');

  constructor(
    private readonly registry: RewardRegistry,
    private readonly watchdog: LagWatchdog,
    @Inject(REWARD_OPTIONS) private readonly options: RewardModuleOptions,
  ) {}

  /**
   * Scores a run, all rewards side by side. Without a ground truth an agent whose rewards all need one is not scored at
   * all; where only some need it, these have a failure. A reward that is cut short by the rollout's cancellation has that
   * as its failure.
   */
  async score(
    agent: AgentDescriptor,
    trajectory: RolloutTrajectory,
    scope: InvocationScope,
    cancellation: Cancellation,
  ): Promise<RewardScore> {
    const rewards = this.registry.rewardsOf(agent);
    const comparable = trajectory.groundTruth !== undefined;
    if (!comparable && rewards.every(({ needsGroundTruth }) => needsGroundTruth)) return UNSCORED;
    if (rewards.length === 0) return UNSCORED;
    const componentOf = (reward: RewardDescriptor): Promise<RewardComponent> =>
      comparable || !reward.needsGroundTruth
        ? this.compute(agent, reward, trajectory, scope, cancellation)
        : Promise.resolve(withoutTruth(reward));
    const [first] = rewards;
    const components =
      first && rewards.length === 1 ? [await componentOf(first)] : await Promise.all(rewards.map(componentOf));
    return this.aggregate(agent, components);
  }

  private aggregate(agent: AgentDescriptor, components: readonly RewardComponent[]): RewardScore {
    try {
      return { reward: aggregate(components, this.options.aggregator), components };
    } catch (error) {
      const failure = failureOf(error, 'reward');
      this.logger.warn(`Agent ${agent.name}: ${failure.message}`);
      return { reward: null, components: [...components, { ...NO_VALUE, name: 'aggregator', failure }] };
    }
  }

  private async compute(
    agent: AgentDescriptor,
    reward: RewardDescriptor,
    trajectory: RolloutTrajectory,
    scope: InvocationScope,
    cancellation: Cancellation,
  ): Promise<RewardComponent> {
    if ('score' in reward) return reward.score(scope, trajectory, cancellation);
    const { clock } = this.options;
    const startedAt = clock.monotonic();
    const result = (value: number | null, failure?: Failure): RewardComponent => ({
      name: reward.name,
      weight: reward.weight,
      value,
      durationMs: clock.monotonic() - startedAt,
      ...(failure ? { failure } : {}),
    });
    try {
      if (!reward.isolated) this.watchdog.enter('reward', agent.name, reward.where);
      const value = await this.inTime(reward, trajectory, scope, cancellation);
      return result(requireScore(value, reward.where, reward.range));
    } catch (error) {
      const failure = failureOf(error, 'reward');
      if (!cancellation.reason) this.logger.warn(`Reward ${reward.where} gave no score: ${failure.message}`);
      return result(null, failure);
    }
  }

  private inTime(
    reward: ValueReward,
    trajectory: RolloutTrajectory,
    scope: InvocationScope,
    cancellation: Cancellation,
  ): Promise<unknown> {
    const { clock, timeoutMs } = this.options;
    return new Promise((resolve, reject) => {
      const timer = reward.isolated
        ? null
        : clock.after(timeoutMs, () => reject(rewardTimedOut(reward.where, timeoutMs)));
      const listening = cancellation.onCancel(reject);
      const stop = (): void => {
        timer?.stop();
        listening.leave();
      };
      reward.invoke(scope, trajectory, cancellation).then(
        (value) => {
          stop();
          resolve(value);
        },
        (error: unknown) => {
          stop();
          reject(error);
        },
      );
    });
  }
}

const NO_VALUE = { weight: 0, value: null, durationMs: 0 } as const;

function withoutTruth({ name, weight, where }: RewardDescriptor): RewardComponent {
  const text = `Reward ${where} needs a ground truth, but the request has none (label, or ground_truth in its metadata)`;
  return {
    name,
    weight,
    value: null,
    durationMs: 0,
    failure: failureOf(new OsmosisError('REWARD_FAILED', text), 'reward'),
  };
}
