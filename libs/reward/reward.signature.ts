import type { DecoratedMethod } from '#discovery';
import type { RewardMetadata, RewardOptions } from './decorators/reward.decorator.js';
import { RolloutTrajectory } from './rollout.trajectory.js';

interface Fault {
  readonly code: string;
  readonly what: string;
  readonly cure: string;
}

const SIGNATURES =
  'Write it as (solutionStr: string, groundTruth: string, extraInfo?: ExtraInfo): number or ' +
  '(trajectory: RolloutTrajectory): number';

export function signatureOf({ parameterTypes }: DecoratedMethod<RewardMetadata>): 'classic' | 'full' {
  return parameterTypes?.[0] === RolloutTrajectory ? 'full' : 'classic';
}

/** What is wrong with a decorated reward. */
export function rewardFaults(method: DecoratedMethod<RewardMetadata>): Fault[] {
  return [...signatureFaults(method), ...optionFaults(method.metadata)];
}

function signatureFaults(method: DecoratedMethod<RewardMetadata>): Fault[] {
  const { arity, parameterTypes, metadata } = method;
  const count = parameterTypes?.length ?? arity;
  const full = signatureOf(method) === 'full';
  if (full ? count !== 1 : count < 2 || count > 3) {
    return [{ code: 'REWARD_ARITY', what: `the reward takes ${count} parameters`, cure: SIGNATURES }];
  }
  if (full && metadata.isolate) {
    const cure = 'Take (solutionStr, groundTruth, extraInfo?), or do not isolate it';
    return [{ code: 'REWARD_ISOLATED_TRAJECTORY', what: 'an isolated reward cannot take the trajectory', cure }];
  }
  if (full) return [];
  return (parameterTypes ?? [])
    .slice(0, 2)
    .flatMap((type, index) =>
      type === String || type === Object
        ? []
        : [{ code: 'REWARD_PARAMETER', what: `parameter ${index + 1} of the reward is no string`, cure: SIGNATURES }],
    );
}

function optionFaults({ name, weight, range }: RewardOptions): Fault[] {
  const faults: Fault[] = [];
  if (name !== undefined && name.trim() === '') {
    faults.push({ code: 'REWARD_NAME_EMPTY', what: "the reward's name is empty", cure: 'Give it one, or none' });
  }
  if (weight !== undefined && !Number.isFinite(weight)) {
    const what = `the reward's weight is ${String(weight)}`;
    faults.push({ code: 'REWARD_WEIGHT', what, cure: 'Give a finite number' });
  }
  if (range !== undefined && !(range[0] < range[1])) {
    const what = `the reward's range is ${JSON.stringify(range)}`;
    faults.push({ code: 'REWARD_RANGE', what, cure: 'Give [least, greatest]' });
  }
  return faults;
}
