import { ERROR_TABLE, OsmosisError, type ErrorCode } from './osmosis.error.js';
import { describeThrown } from './thrown.js';
import type { Failure, RolloutPhase } from './failure.js';

/** What user code's own exceptions count as, by what the rollout was doing. */
const CODE_OF_PHASE: Readonly<Record<RolloutPhase, ErrorCode>> = {
  queue: 'INTERNAL',
  agent: 'AGENT_FAILED',
  model: 'AGENT_FAILED',
  tools: 'AGENT_FAILED',
  reward: 'REWARD_FAILED',
  judge: 'JUDGE_FAILED',
  delivery: 'INTERNAL',
};

/** The failure that a thrown value stands for. */
export function failureOf(thrown: unknown, phase: RolloutPhase): Failure {
  const known = OsmosisError.is(thrown) ? thrown : undefined;
  // Another copy of the package may be of another version and know codes that this one does not.
  const code = known && Object.hasOwn(ERROR_TABLE, known.code) ? known.code : CODE_OF_PHASE[phase];
  const failure: Failure = {
    class: ERROR_TABLE[code].failureClass,
    phase,
    code,
    message: describeThrown(thrown),
    retryable: known?.retryable ?? ERROR_TABLE[code].retryable,
  };
  const errorName = known ? undefined : nameOf(thrown);
  return errorName === undefined ? failure : { ...failure, errorName };
}

function nameOf(thrown: unknown): string | undefined {
  try {
    const name = typeof thrown === 'object' && thrown !== null && 'name' in thrown ? thrown.name : undefined;
    return typeof name === 'string' && name !== '' ? name : undefined;
  } catch {
    return undefined;
  }
}
