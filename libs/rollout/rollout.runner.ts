import { Inject, Injectable } from '@nestjs/common';
import {
  LagWatchdog,
  RolloutContext,
  RolloutMeter,
  RolloutSession,
  runToolLoop,
  ToolExecutor,
  TrajectoryRecorder,
  type AgentDescriptor,
} from '#agent';
import {
  failureOf,
  OsmosisError,
  type ChatModel,
  type Failure,
  type RolloutOutcome,
  type RolloutResult,
} from '#domain';
import { RewardService, RolloutTrajectory, type RewardScore } from '#reward';
import { ROLLOUT_OPTIONS, type RolloutModuleOptions } from './rollout.options.js';
import type { RolloutWork } from './rollout.record.js';
import { resultFault } from './rollout.result.js';
import { TraceWriter } from './trace.writer.js';
import { untilCancelled } from './until-cancelled.js';

const UNSCORED: RewardScore = { reward: null, components: [] };

/** Hears how a rollout gets on. */
export interface RunObserver {
  /**
   * The agent has ended well; its rewards are asked next.
   *
   * @param outcome makes the outcome as far as it is known
   * @throws OsmosisError why it does not count: it has ended too late
   */
  ran(outcome: () => RolloutOutcome): void;
}

/** Runs one rollout: the agent's loop, then its rewards. Every way to end gives an outcome; nothing is thrown. */
@Injectable()
export class RolloutRunner {
  constructor(
    private readonly executor: ToolExecutor,
    private readonly rewards: RewardService,
    private readonly traces: TraceWriter,
    private readonly watchdog: LagWatchdog,
    @Inject(ROLLOUT_OPTIONS) private readonly options: RolloutModuleOptions,
  ) {}

  async run(work: RolloutWork, model: ChatModel, observer: RunObserver): Promise<RolloutOutcome> {
    const session = (work.session = this.openSession(work, model));
    const { cancellation } = session;
    let result: RolloutResult;
    try {
      const ended = await untilCancelled(
        cancellation,
        () => this.invokeLoop(work.agent, session),
        // Kept with the phase it came in, which may be another by the time the failure is written down.
        (reason) => session.arose(reason),
      );
      result = checkedResult(work.agent, ended);
    } catch (error) {
      result = failed(session, error);
    }
    session.end();
    if (result.status !== 'COMPLETED') return seal(session, result, UNSCORED);
    try {
      observer.ran(() => seal(session, result, UNSCORED));
    } catch (error) {
      return seal(session, failed(session, error), UNSCORED);
    }
    session.meter.enter('reward');
    const score = await this.score(work, session, result);
    // A deadline or a shutdown while scoring takes the reward, not the finished run; the trainer's cancel takes both.
    const cancelled = cancellation.reason?.code === 'CANCELLED';
    return cancelled ? seal(session, failed(session), UNSCORED) : seal(session, result, score);
  }

  private openSession(work: RolloutWork, model: ChatModel): RolloutSession {
    return new RolloutSession({
      request: work.request,
      tools: work.tools,
      model,
      executor: this.executor,
      scope: work.scope,
      meter: new RolloutMeter(this.options.clock),
      cancellation: work.cancellation,
      trace: this.traces.enabled ? this.traces : null,
      recorder: this.options.trajectories ? new TrajectoryRecorder(this.options.clock) : null,
    });
  }

  private invokeLoop(agent: AgentDescriptor, session: RolloutSession): Promise<unknown> {
    const context = new RolloutContext(session);
    if (!agent.loop) return runToolLoop(context);
    this.watchdog.enter('loop', agent.name, `${agent.provider.type.name}.run`);
    return agent.loop(session.scope, context);
  }

  private score(work: RolloutWork, session: RolloutSession, result: RolloutResult): RewardScore | Promise<RewardScore> {
    if (result.reward !== undefined) return ownReward(result.reward);
    if (work.request.wantsReward === false) return UNSCORED;
    const trajectory = new RolloutTrajectory({
      request: work.request,
      messages: result.finalMessages,
      finishReason: result.finishReason,
      metrics: session.meter.snapshot(),
      sample: session,
    });
    return this.rewards.score(work.agent, trajectory, work.scope, work.cancellation);
  }
}

/** @throws OsmosisError AGENT_FAILED for what is no result */
function checkedResult(agent: AgentDescriptor, result: unknown): RolloutResult {
  const fault = resultFault(result);
  if (fault === null) return result as RolloutResult;
  throw new OsmosisError('AGENT_FAILED', `run of ${agent.provider.type.name} ${fault}`);
}

function failed(session: RolloutSession, error?: unknown): RolloutResult {
  const cause = session.cancellation.reason ?? error;
  const failure = failureOf(cause, session.phaseOf(cause));
  return {
    status: 'ERROR',
    finalMessages: session.conversation(),
    finishReason: 'error',
    errorMessage: failure.message,
    failure,
  };
}

/** A loop that scores itself is held to the same rule as a `@Reward`. */
function ownReward(value: unknown): RewardScore {
  const component = { name: 'agent', weight: 1, durationMs: 0 };
  if (typeof value === 'number' && Number.isFinite(value)) return { reward: value, components: [] };
  const error = new OsmosisError('REWARD_NOT_A_NUMBER', `The agent gave ${String(value)} as its reward`);
  return { reward: null, components: [{ ...component, value: null, failure: failureOf(error, 'reward') }] };
}

function seal(session: RolloutSession, result: RolloutResult, score: RewardScore): RolloutOutcome {
  const isError = result.status === 'ERROR';
  const sample = session.sampleNotes;
  const outcome: RolloutOutcome = {
    rolloutId: session.request.rolloutId,
    status: result.status,
    finalMessages: result.finalMessages,
    finishReason: result.finishReason,
    errorMessage: isError ? result.errorMessage || 'The agent gave no reason' : null,
    reward: score.reward,
    rewards: score.components,
    metrics: session.meter.snapshot(),
    failure: isError ? (result.failure ?? agentFailure(result)) : missingReward(score),
  };
  return Object.freeze(sample ? { ...outcome, sample } : outcome);
}

/** Why a completed rollout has no reward; null when it has one or was not to have any. */
function missingReward(score: RewardScore): Failure | null {
  return score.reward === null ? (score.components.find(({ failure }) => failure)?.failure ?? null) : null;
}

function agentFailure(result: RolloutResult): Failure {
  return {
    class: 'agent',
    phase: 'agent',
    code: 'AGENT_FAILED',
    message: result.errorMessage || 'The agent gave no reason',
    retryable: false,
  };
}
