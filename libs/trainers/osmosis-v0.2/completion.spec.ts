import type { RolloutOutcome } from '#domain';
import { renderCompletion } from './completion.js';

const METRICS = {
  totalLatencyMs: 12.5,
  llmLatencyMs: 7.25,
  toolLatencyMs: 0,
  numLlmCalls: 2,
  numToolCalls: 1,
  promptTokens: 20,
  responseTokens: 10,
  maxContextTokens: 30,
};
const METRICS_TEXT =
  '{"total_latency_ms":12.5,"llm_latency_ms":7.25,"tool_latency_ms":0,"num_llm_calls":2,"num_tool_calls":1,' +
  '"prompt_tokens":20,"response_tokens":10,"max_context_tokens":30}';
const OUTCOME: RolloutOutcome = {
  rolloutId: 'r',
  status: 'COMPLETED',
  finalMessages: [],
  finishReason: 'stop',
  errorMessage: null,
  reward: null,
  rewards: [],
  metrics: METRICS,
  failure: null,
};

function bodyOf(fields: Partial<RolloutOutcome>) {
  return JSON.parse(renderCompletion({ ...OUTCOME, ...fields })) as Record<string, never>;
}

describe('renderCompletion', () => {
  it('writes the fields of spec 1.5 in their order', () => {
    const finalMessages = [{ role: 'assistant', content: null, x: 'ü' }];
    expect(renderCompletion({ ...OUTCOME, finalMessages, errorMessage: '', reward: 0 })).toBe(
      '{"rollout_id":"r","status":"COMPLETED","final_messages":[{"role":"assistant","content":null,"x":"ü"}],' +
        `"finish_reason":"stop","error_message":"","reward":0,"metrics":${METRICS_TEXT},"extra_fields":{}}`,
    );
  });

  it('leaves declared fields out that are null', () => {
    expect(renderCompletion(OUTCOME)).toBe(
      '{"rollout_id":"r","status":"COMPLETED","final_messages":[],"finish_reason":"stop",' +
        `"metrics":${METRICS_TEXT},"extra_fields":{}}`,
    );
  });

  it('sends status ERROR with its message', () => {
    const body = bodyOf({ status: 'ERROR', finishReason: 'error', errorMessage: 'x' });
    expect(body).toMatchObject({ status: 'ERROR', finish_reason: 'error', error_message: 'x' });
  });

  it('puts the failure into extra_fields, with its evidence', () => {
    const failure = {
      class: 'tool',
      phase: 'tools',
      code: 'TOOL_TIMEOUT',
      message: 'slow',
      retryable: true,
      evidence: { inner: 1 },
    } as const;
    expect(bodyOf({ failure })['extra_fields']).toEqual({
      failure: {
        class: 'tool',
        phase: 'tools',
        code: 'TOOL_TIMEOUT',
        message: 'slow',
        retryable: true,
        evidence: { inner: 1 },
      },
    });
  });

  it('puts the rewards into extra_fields by name; an absent value is absent', () => {
    const failure = { class: 'judge', phase: 'judge', code: 'JUDGE_FAILED', message: 'no', retryable: true } as const;
    const rewards = [
      { name: 'exact', weight: 1, value: 0, durationMs: 2 },
      { name: '__proto__', weight: 0.5, value: null, durationMs: 3, failure },
    ];
    expect(renderCompletion({ ...OUTCOME, rewards })).toContain(
      '"extra_fields":{"rewards":{"exact":{"value":0,"weight":1,"duration_ms":2},' +
        '"__proto__":{"weight":0.5,"duration_ms":3,"failure":{"class":"judge","phase":"judge","code":"JUDGE_FAILED",' +
        '"message":"no","retryable":true}}}}',
    );
  });

  it.each([NaN, Infinity, -Infinity])('RW-01: a reward of %p is absent, never 0 and never NaN', (reward) => {
    const rewards = [{ name: 'a', weight: 1, value: reward, durationMs: 1 }];
    const body = bodyOf({ reward, rewards });
    expect(body).not.toHaveProperty('reward');
    expect(body['extra_fields']).toEqual({ rewards: { a: { weight: 1, duration_ms: 1 } } });
  });

  it('A-JSON: is strict JSON whatever the messages hold', () => {
    const cycle: Record<string, unknown> = { role: 'assistant', n: 1n };
    cycle['self'] = cycle;
    const finalMessages = [{ role: 'user', content: 'a\ud800', score: NaN }, cycle];
    expect(bodyOf({ finalMessages })['final_messages']).toEqual([
      { role: 'user', content: 'a\ufffd', score: null },
      { role: 'assistant', n: '1', self: '[circular]' },
    ]);
  });

  it('metrics are numbers, always', () => {
    expect(bodyOf({ metrics: { ...METRICS, totalLatencyMs: NaN } })['metrics']).toMatchObject({ total_latency_ms: 0 });
  });
});
