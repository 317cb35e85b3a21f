import {
  failureOf,
  OsmosisError,
  type CompletionMessage,
  type RolloutOutcome,
  type RolloutRequest,
  type Trainer,
} from '#domain';

/** Renders an outcome; one that has no wire form (user code can put anything into messages) becomes an ERROR that says so. */
export function renderSafely(trainer: Trainer, request: RolloutRequest, outcome: RolloutOutcome): CompletionMessage {
  try {
    return trainer.renderCompletion(request, outcome);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const failure = failureOf(
      new OsmosisError('AGENT_FAILED', `The final messages cannot be sent: ${reason}`),
      'agent',
    );
    return trainer.renderCompletion(request, {
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
