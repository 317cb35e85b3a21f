import {
  describeThrown,
  failureOf,
  OsmosisError,
  type CompletionMessage,
  type RolloutOutcome,
  type Trainer,
  type TrainerAddress,
} from '#domain';

/** Renders an outcome; one that a dialect has no form for becomes an ERROR that says so, so that its trainer is told. */
export function renderSafely(trainer: Trainer, address: TrainerAddress, outcome: RolloutOutcome): CompletionMessage {
  try {
    return trainer.renderCompletion(address, outcome);
  } catch (error) {
    const text = `The outcome cannot be sent: ${describeThrown(error)}`;
    const failure = failureOf(new OsmosisError('AGENT_FAILED', text), 'agent');
    return trainer.renderCompletion(address, {
      ...outcome,
      status: 'ERROR',
      finalMessages: [],
      finishReason: 'error',
      errorMessage: failure.message,
      reward: null,
      rewards: [],
      failure,
    });
  }
}
