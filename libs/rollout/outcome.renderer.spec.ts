import type { RolloutOutcome, Trainer, TrainerAddress } from '#domain';
import { renderSafely } from './outcome.renderer.js';

const address: TrainerAddress = { dialect: 'test', url: 'http://trainer', apiKey: null };

const outcome: RolloutOutcome = {
  rolloutId: 'r',
  status: 'COMPLETED',
  finalMessages: [{ role: 'assistant', content: 'done' }],
  finishReason: 'stop',
  errorMessage: null,
  reward: 1,
  rewards: [{ name: 'exact', weight: 1, value: 1, durationMs: 1 }],
  metrics: {
    totalLatencyMs: 5,
    llmLatencyMs: 4,
    toolLatencyMs: 0,
    numLlmCalls: 1,
    numToolCalls: 0,
    promptTokens: 1,
    responseTokens: 1,
    maxContextTokens: 2,
  },
  failure: null,
};

function trainer(renderCompletion: Trainer['renderCompletion']): Trainer {
  return { dialect: 'test', renderCompletion } as Partial<Trainer> as Trainer;
}

const asJson = trainer((_, rendered) => ({ url: 'http://trainer/done', body: JSON.stringify(rendered) }));

describe('renderSafely', () => {
  it('is the dialect’s own rendering', () => {
    expect(renderSafely(asJson, address, outcome)).toEqual({
      url: 'http://trainer/done',
      body: JSON.stringify(outcome),
    });
  });

  it('an outcome that the dialect has no form for becomes an ERROR that says why, and gives no reward', () => {
    const picky = trainer((to, rendered) => {
      if (rendered.status === 'COMPLETED') throw new TypeError('a Map has no JSON form');
      return asJson.renderCompletion(to, rendered);
    });
    const { body } = renderSafely(picky, address, outcome);
    const text = 'The outcome cannot be sent: a Map has no JSON form';
    expect(JSON.parse(body)).toEqual({
      ...outcome,
      status: 'ERROR',
      finalMessages: [],
      finishReason: 'error',
      errorMessage: text,
      reward: null,
      rewards: [],
      failure: { class: 'agent', phase: 'agent', code: 'AGENT_FAILED', message: text, retryable: false },
    });
    expect(outcome).toMatchObject({ status: 'COMPLETED', reward: 1 });
  });
});
