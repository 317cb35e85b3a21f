import { callingFiles } from '#agent';
import { MetadataAccessor, type Class } from '#discovery';
import type { RolloutTrajectory } from '../rollout.trajectory.js';

export const REWARD_METADATA = 'osmosis:reward';

/** The request's metadata, as a reward sees it. */
export type ExtraInfo = Readonly<Record<string, unknown>>;

/** The classic signature of a reward. Sync or async; the result is awaited, whatever it is. */
export type ClassicRewardMethod = (
  solutionStr: string,
  groundTruth: string,
  extraInfo: ExtraInfo,
) => number | PromiseLike<number>;

/** The full signature: sees the whole run, and needs no ground truth. */
export type FullRewardMethod = (trajectory: RolloutTrajectory) => number | PromiseLike<number>;

export type RewardMethod = ClassicRewardMethod | FullRewardMethod;

export interface RewardOptions {
  /** Unique among an agent's rewards. Default: the method's name. */
  readonly name?: string;
  /** Its share in the weighted sum. Default 1. */
  readonly weight?: number;
  /** For rewards of providers that are no agents: whom they score, by class or name. Default: every agent. */
  readonly agents?: readonly (string | Class)[];
  /** Least and greatest value it may give. Beyond them it counts as failed; nothing is clamped. Default: any number. */
  readonly range?: readonly [min: number, max: number];
  /**
   * Runs the method in a thread that is ended at the time limit, whatever it does: for code that computes for long. It
   * then has its arguments alone: no injected fields (docs/isolation.md).
   */
  readonly isolate?: boolean;
}

/** What the decorator writes down. */
export interface RewardMetadata extends RewardOptions {
  /** Where a thread may find the class of an isolated method. */
  readonly files?: readonly string[];
}

/** Anything but the two signatures is refused by the compiler. */
type Checked<Method> = Method extends FullRewardMethod
  ? Parameters<Method>['length'] extends 1
    ? unknown
    : WrongSignature
  : Method extends ClassicRewardMethod
    ? Parameters<Method>['length'] extends 2 | 3
      ? unknown
      : WrongSignature
    : WrongSignature;

interface WrongSignature {
  readonly 'a reward takes (solutionStr: string, groundTruth: string, extraInfo?) or (trajectory: RolloutTrajectory)': never;
}

/**
 * Makes a method a reward: `(solutionStr: string, groundTruth: string, extraInfo?: ExtraInfo) => number`, which scores
 * every completed rollout whose request has a `ground_truth` in its metadata, or `(trajectory: RolloutTrajectory) =>
 * number`, which scores every completed rollout. On an agent it scores that agent; on any other provider all agents, or
 * those named. A reward that throws, or gives anything but a finite number, leaves the rollout without a reward and says
 * why; it never counts as 0.
 */
export function Reward(options: RewardOptions = {}) {
  return function decorate<Method>(
    prototype: object,
    name: string | symbol,
    _descriptor: TypedPropertyDescriptor<Method> & Checked<Method>,
  ): void {
    const metadata: RewardMetadata = options.isolate ? { ...options, files: callingFiles(decorate) } : { ...options };
    MetadataAccessor.defineOnMethod(REWARD_METADATA, metadata, prototype, name);
  };
}
