import { Inject, Injectable, Logger } from '@nestjs/common';
import type { AgentDescriptor } from '#agent';
import type { InvocationScope } from '#discovery';
import { failureOf, OsmosisError, type Cancellation, type Failure, type RewardComponent } from '#domain';
import { REWARD_OPTIONS, type RewardModuleOptions } from './reward.options.js';
import { RewardRegistry } from './reward.registry.js';
import type { RewardDescriptor, RewardInput, RewardScore } from './reward.types.js';

const UNSCORED: RewardScore = { reward: null, components: [] };

/** Computes an agent's reward. Never throws for what user code does; a reward without a value says why. */
@Injectable()
export class RewardService {
  private readonly logger = new Logger('RewardService');

  constructor(
    private readonly registry: RewardRegistry,
    @Inject(REWARD_OPTIONS) private readonly options: RewardModuleOptions,
  ) {}

  scores(agent: AgentDescriptor): boolean {
    return this.registry.rewardsOf(agent).length > 0;
  }

  /** A reward that is cut short by the rollout's cancellation has that as its failure. */
  async score(
    agent: AgentDescriptor,
    input: RewardInput,
    scope: InvocationScope,
    cancellation: Cancellation,
  ): Promise<RewardScore> {
    const rewards = this.registry.rewardsOf(agent);
    if (rewards.length === 0) return UNSCORED;
    const components = await Promise.all(rewards.map((reward) => this.compute(reward, input, scope, cancellation)));
    return { reward: weightedSum(components), components };
  }

  private async compute(
    reward: RewardDescriptor,
    input: RewardInput,
    scope: InvocationScope,
    cancellation: Cancellation,
  ): Promise<RewardComponent> {
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
      return result(requireNumber(await this.inTime(reward, input, scope, cancellation), reward));
    } catch (error) {
      const failure = failureOf(error, 'reward');
      if (!cancellation.reason) this.logger.warn(`Reward ${reward.where} gave no score: ${failure.message}`);
      return result(null, failure);
    }
  }

  private inTime(
    reward: RewardDescriptor,
    input: RewardInput,
    scope: InvocationScope,
    cancellation: Cancellation,
  ): Promise<unknown> {
    const { clock, timeoutMs } = this.options;
    return new Promise((resolve, reject) => {
      const stopTimer = clock.after(timeoutMs, () => reject(timedOut(reward, timeoutMs)));
      const stopListening = cancellation.onCancel(reject);
      reward
        .invoke(scope, input)
        .then(resolve, reject)
        .finally(() => {
          stopTimer();
          stopListening();
        });
    });
  }
}

/** Only finite primitive numbers are scores: no booleans, strings, bigints, number objects (cases RW-01, RW-06). */
function requireNumber(value: unknown, reward: RewardDescriptor): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  const got = typeof value === 'number' ? String(value) : value === null ? 'null' : typeof value;
  throw new OsmosisError('REWARD_NOT_A_NUMBER', `Reward ${reward.where} must give a finite number, but gave ${got}`);
}

function timedOut(reward: RewardDescriptor, limitMs: number): OsmosisError {
  return new OsmosisError(
    'REWARD_TIMEOUT',
    `Reward ${reward.where} did not finish within its timeout of ${limitMs} ms (rewards.timeoutMs)`,
  );
}

/** A sum with a hole would teach the model something else than the whole sum, so one missing part makes all absent. */
function weightedSum(components: readonly RewardComponent[]): number | null {
  let sum = 0;
  for (const { value, weight } of components) {
    if (value === null) return null;
    sum += weight * value;
  }
  return Number.isFinite(sum) ? sum : null;
}
