import { MetadataAccessor, type Class } from '#discovery';

export const REWARD_METADATA = 'osmosis:reward';

/** The request's metadata, as a reward sees it. */
export type ExtraInfo = Readonly<Record<string, unknown>>;

/** The signature of a reward. Sync or async; the result is awaited, whatever it is. */
export type RewardMethod = (
  solutionStr: string,
  groundTruth: string,
  extraInfo: ExtraInfo,
) => number | PromiseLike<number>;

export interface RewardOptions {
  /** Unique among an agent's rewards. Default: the method's name. */
  readonly name?: string;
  /** Its share in the weighted sum. Default 1. */
  readonly weight?: number;
  /** For rewards of providers that are no agents: whom they score, by class or name. Default: every agent. */
  readonly agents?: readonly (string | Class)[];
}

/** Anything but two or three parameters is refused by the compiler. */
type WithArity<Method extends RewardMethod> = Parameters<Method>['length'] extends 2 | 3
  ? unknown
  : { readonly 'a reward takes (solutionStr, groundTruth, extraInfo?)': never };

/**
 * Makes a method a reward: `(solutionStr: string, groundTruth: string, extraInfo?: ExtraInfo) => number`. It scores every
 * completed rollout whose request has a `ground_truth` in its metadata. On an agent it scores that agent; on any other
 * provider all agents, or those named. A reward that throws, or gives anything but a finite number, leaves the rollout
 * without a reward and says why; it never counts as 0.
 */
export function Reward(options: RewardOptions = {}) {
  return <Method extends RewardMethod>(
    prototype: object,
    name: string | symbol,
    _descriptor: TypedPropertyDescriptor<Method> & WithArity<Method>,
  ): void => MetadataAccessor.defineOnMethod(REWARD_METADATA, { ...options }, prototype, name);
}
