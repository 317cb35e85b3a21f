import { requestBody, type StoredRequest } from './request-body.js';

const STORED: StoredRequest = {
  rolloutId: 'r',
  agent: 'calculator',
  trainer: { url: 'http://user:SECRET@trainer/v1' },
  messages: [{ role: 'user', content: 'hi' }],
  completionParams: { temperature: 0.5 },
  toolServerUrl: null,
  maxTurns: 10,
  maxTokensTotal: 8192,
  metadata: { ground_truth: '4' },
  idempotencyKey: null,
};

describe('requestBody', () => {
  it('is the body of an init in dialect 0.2, without credentials', () => {
    expect(requestBody(STORED)).toEqual({
      rollout_id: 'r',
      server_url: 'http://trainer/v1',
      messages: STORED.messages,
      completion_params: { temperature: 0.5 },
      tool_server_url: null,
      max_turns: 10,
      max_tokens_total: 8192,
      metadata: { ground_truth: '4' },
      idempotency_key: null,
    });
  });

  it('is the body of a rollout in dialect 0.3', () => {
    const callbacks = { completionUrl: 'http://u:SECRET@c/done', graderUrl: null };
    const trainer = { url: 'http://c/chat', callbacks };
    const limits = { agentMs: 450_000, scoringMs: null };
    expect(requestBody({ ...STORED, trainer, label: '4', limits, extraFields: { row: 1 } })).toEqual({
      rollout_id: 'r',
      initial_messages: STORED.messages,
      label: '4',
      metadata: { ground_truth: '4' },
      chat_completions_url: 'http://c/chat',
      completion_callback_url: 'http://c/done',
      grader_callback_url: null,
      agent_timeout_sec: 450,
      grader_timeout_sec: null,
      extra_fields: { row: 1 },
    });
  });
});
