import {
  describeThrown,
  failureOf,
  OsmosisError,
  type RolloutOutcome,
  type RolloutRequest,
  type Trainer,
  type TrainerMessage,
} from '#domain';

/** Renders an outcome; one that a dialect has no form for becomes an ERROR that says so, so that its trainer is told. */
export function renderSafely(
  trainer: Trainer,
  request: RolloutRequest,
  outcome: RolloutOutcome,
): TrainerMessage | null {
  try {
    return trainer.render(request, outcome);
  } catch (error) {
    return trainer.render(request, unsendable(outcome, error));
  }
}

/** The same for what is announced before the score; null as well in dialects that announce nothing. */
export function announceSafely(
  trainer: Trainer,
  request: RolloutRequest,
  outcome: RolloutOutcome,
): TrainerMessage | null {
  if (!trainer.announce) return null;
  try {
    return trainer.announce(request, outcome);
  } catch (error) {
    return trainer.announce(request, unsendable(outcome, error));
  }
}

function unsendable(outcome: RolloutOutcome, error: unknown): RolloutOutcome {
  const text = `The outcome cannot be sent: ${describeThrown(error)}`;
  const failure = failureOf(new OsmosisError('AGENT_FAILED', text), 'agent');
  return {
    ...outcome,
    status: 'ERROR',
    finalMessages: [],
    finishReason: 'error',
    errorMessage: failure.message,
    reward: null,
    rewards: [],
    failure,
  };
}
