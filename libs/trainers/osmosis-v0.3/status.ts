import type { RolloutView } from '#rollout';
import type { StatusDto } from './rollout.dto.js';

export function unknownStatus(rolloutId: string): StatusDto {
  return { rollout_id: rolloutId, status: 'unknown', reward: null, err_message: null };
}

/** A rollout in the wire's one vocabulary (spec 1.4). The reward only of a kept and successful sample. */
export function statusJson({ rolloutId, state, outcome }: RolloutView): StatusDto {
  if (!outcome) return { ...unknownStatus(rolloutId), status: IN_FLIGHT.get(state) ?? 'unknown' };
  const { status, reward, errorMessage, failure, sample } = outcome;
  const success = status === 'COMPLETED' && failure === null;
  return {
    rollout_id: rolloutId,
    status: failure?.class === 'cancelled' ? 'cancelled' : success ? 'success' : 'failure',
    reward: success && !sample?.removed ? reward : null,
    err_message: errorMessage ?? failure?.message ?? null,
  };
}

const IN_FLIGHT: ReadonlyMap<string, StatusDto['status']> = new Map([
  ['queued', 'queued'],
  ['running', 'running'],
  ['scoring', 'grading'],
]);
