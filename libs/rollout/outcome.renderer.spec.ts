import type { RolloutOutcome, RolloutRequest, Trainer } from '#domain';
import { announceSafely, renderSafely } from './outcome.renderer.js';

const request = { rolloutId: 'r' } as Partial<RolloutRequest> as RolloutRequest;

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

function trainer(render: Trainer['render']): Trainer {
  return { dialect: 'test', render } as Partial<Trainer> as Trainer;
}

const asJson = trainer((_, rendered) => ({ url: 'http://trainer/done', body: JSON.stringify(rendered) }));

describe('renderSafely', () => {
  it('is the dialect’s own rendering', () => {
    expect(renderSafely(asJson, request, outcome)).toEqual({
      url: 'http://trainer/done',
      body: JSON.stringify(outcome),
    });
  });

  it('an outcome that the dialect has no form for becomes an ERROR that says why, and gives no reward', () => {
    const picky = trainer((to, rendered) => {
      if (rendered.status === 'COMPLETED') throw new TypeError('a Map has no JSON form');
      return asJson.render(to, rendered);
    });
    const { body = '' } = renderSafely(picky, request, outcome) ?? {};
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

describe('announceSafely', () => {
  it('is null in dialects that announce nothing', () => {
    expect(announceSafely(asJson, request, outcome)).toBeNull();
  });

  it('an outcome that the dialect has no form for is announced as an ERROR', () => {
    const picky: Trainer = {
      ...asJson,
      announce: (asked, told) => {
        if (told.status === 'COMPLETED') throw new TypeError('a Map has no JSON form');
        return asJson.render(asked, told);
      },
    };
    expect(JSON.parse(announceSafely(picky, request, outcome)?.body ?? '')).toMatchObject({
      status: 'ERROR',
      errorMessage: 'The outcome cannot be sent: a Map has no JSON form',
    });
  });
});
