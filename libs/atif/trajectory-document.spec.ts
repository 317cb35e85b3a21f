import { ChatCompletion, type ChatMessage, type RolloutOutcome, type ToolMessage } from '#domain';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { atifFaults } from './check/atif-faults.js';
import type { AtifDocument } from './document.js';
import { aRollout, CALL, TOOL_TURN } from './fixtures/a-rollout.js';
import { PRODUCER } from './producer.js';
import { trajectoryDocument, type FinishedRollout } from './trajectory-document.js';

function documentOf(messages: readonly ChatMessage[], more: Partial<FinishedRollout> = {}): AtifDocument {
  const document = trajectoryDocument(aRollout(messages, more));
  expect(atifFaults(document)).toEqual([]);
  return document as AtifDocument;
}

function stepsOf(...messages: ChatMessage[]): AtifDocument['steps'] {
  return documentOf(messages).steps;
}

const user = (content: unknown, more: object = {}): ChatMessage => ({ role: 'user', content, ...more });
const assistant = (content: unknown, more: object = {}): ChatMessage => ({ role: 'assistant', content, ...more });

describe('spec 0.3, 8.8: a conversation as a document', () => {
  it('says who wrote it', () => {
    const { version } = JSON.parse(readFileSync(join(__dirname, '../../package.json'), 'utf8')) as { version: string };
    expect(documentOf([user('x')]).agent).toEqual({ ...PRODUCER, version, extra: { agent: 'calculator' } });
  });

  it('system, user and assistant are numbered steps; session and trajectory have the id of the rollout', () => {
    expect(
      documentOf([
        { role: 'system', content: 'be helpful' },
        user('hi'),
        assistant('hello'),
        { role: 'developer', content: 'and brief' },
      ]),
    ).toMatchObject({
      schema_version: 'ATIF-v1.7',
      session_id: 'r1',
      trajectory_id: 'r1',
      steps: [
        { step_id: 1, source: 'system', message: 'be helpful' },
        { step_id: 2, source: 'user', message: 'hi' },
        { step_id: 3, source: 'agent', message: 'hello' },
        { step_id: 4, source: 'system', message: 'and brief' },
      ],
      final_metrics: { total_steps: 4 },
      extra: { osmosis: { rollout_id: 'r1' } },
    });
  });

  it('a tool message becomes an observation of the step that called', () => {
    expect(stepsOf(user('1 + 1?'), ...TOOL_TURN, assistant('2'))).toEqual([
      { step_id: 1, source: 'user', message: '1 + 1?' },
      {
        step_id: 2,
        source: 'agent',
        message: '',
        tool_calls: [{ tool_call_id: 'call_1', function_name: 'add', arguments: { a: 1, b: 1 } }],
        observation: { results: [{ source_call_id: 'call_1', content: '2' }] },
      },
      { step_id: 3, source: 'agent', message: '2' },
    ]);
  });

  it.each([
    ['another id', { tool_call_id: 'other' }, 'other'],
    ['no id', {}, null],
  ])('a tool message with %s is kept without a source', (_what, id, kept) => {
    const [step] = stepsOf(assistant('', { tool_calls: [CALL] }), { role: 'tool', content: '2', ...id });
    expect(step?.observation).toEqual({ results: [{ content: '2', extra: { tool_call_id: kept } }] });
  });

  it('numeric-tool-ids: a number answers the call with that number', () => {
    const calls = [{ ...CALL, id: 7 as unknown as string }];
    const [step] = stepsOf(assistant('', { tool_calls: calls }), {
      role: 'tool',
      content: '2',
      tool_call_id: 7 as unknown as string,
    });
    expect(step?.observation).toEqual({ results: [{ source_call_id: '7', content: '2' }] });
  });

  it('a lone tool message is an observation of a step of its own', () => {
    expect(stepsOf({ role: 'tool', content: '2', tool_call_id: 'call_1' })).toEqual([
      {
        step_id: 1,
        source: 'system',
        message: '',
        observation: { results: [{ content: '2', extra: { tool_call_id: 'call_1' } }] },
        extra: { original_role: 'tool' },
      },
    ]);
  });

  it.each([
    [{ role: 'critic', content: 'hm' }, 'critic'],
    [{ content: 'hm' }, ''],
  ])('%j is a step of the user that remembers its role', (message, role) => {
    expect(stepsOf(message)).toEqual([{ step_id: 1, source: 'user', message: 'hm', extra: { original_role: role } }]);
  });

  it('what only agents may have moves into extra', () => {
    const [step] = stepsOf(user('hm', { reasoning_content: 'well', tool_calls: [CALL], usage: { prompt_tokens: 1 } }));
    expect(step).toEqual({
      step_id: 1,
      source: 'user',
      message: 'hm',
      extra: {
        reasoning_content: 'well',
        tool_calls: [{ tool_call_id: 'call_1', function_name: 'add', arguments: { a: 1, b: 1 } }],
      },
    });
  });

  it('reasoning is kept, a list of it as its JSON text', () => {
    expect(stepsOf(assistant('a', { reasoning_content: 'well' }))[0]?.reasoning_content).toBe('well');
    expect(stepsOf(assistant('a', { reasoning_content: ['ü', 1] }))[0]?.reasoning_content).toBe('["ü", 1]');
    expect(stepsOf(assistant('a', { reasoning_content: null }))[0]).not.toHaveProperty('reasoning_content');
  });

  it.each([
    [null, ''],
    [undefined, ''],
    [
      [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
      'a\nb',
    ],
    [
      [
        { type: 'text', text: 'é' },
        { type: 'image_url', image_url: { url: 'u' } },
      ],
      '[{"type": "text", "text": "é"}, {"type": "image_url", "image_url": {"url": "u"}}]',
    ],
    [[{ custom: 'value' }], '[{"custom": "value"}]'],
    [[], '[]'],
    [17, '17'],
    [{ a: NaN, b: [1, undefined, () => 1] }, '{"b": [1]}'],
  ])('content %j reads %j', (content, text) => {
    expect(stepsOf(user(content))[0]?.message).toBe(text);
  });

  it.each([
    ['not json', { _raw: 'not json' }],
    ['[1]', { _raw: '[1]' }],
    ['', {}],
    [null, {}],
    [{ a: 1 }, { a: 1 }],
    [{ a: Infinity, b: 1 }, { b: 1 }],
  ])('arguments %j become %j', (given, args) => {
    const tool_calls = [{ id: 'c', function: { name: 'f', arguments: given } }] as ChatMessage['tool_calls'];
    expect(stepsOf(assistant('', { tool_calls }))[0]?.tool_calls).toEqual([
      { tool_call_id: 'c', function_name: 'f', arguments: args },
    ]);
  });

  it.each([[42], [true], ['text'], [{}], [null], [[]], [[7, null, 'x']]])('tool_calls %j are none', (tool_calls) => {
    expect(stepsOf(assistant('a', { tool_calls }))[0]).not.toHaveProperty('tool_calls');
  });

  it('calls without an id or a name get some', () => {
    const [step] = stepsOf(assistant('', { tool_calls: [{ function: { name: 'f' } }, { id: 5, function: null }] }));
    expect(step?.tool_calls).toEqual([
      { tool_call_id: 'call_0', function_name: 'f', arguments: {} },
      { tool_call_id: '5', function_name: 'unknown', arguments: {} },
    ]);
  });

  it.each([
    [{ created_at: 1751000000 }, '2025-06-27T04:53:20+00:00'],
    [{ created_at: '2025-06-27T04:53:20Z' }, '2025-06-27T04:53:20+00:00'],
    [{ timestamp: '2025-06-27 04:53:20.5+0200' }, '2025-06-27T04:53:20.500000+02:00'],
    [{ created_at: 'not a date', completed_at: '2025-06-27' }, '2025-06-27T00:00:00'],
    [{ extra: { timestamp: 1751000000.25 } }, '2025-06-27T04:53:20.250+00:00'],
    [{ created_at: 'not a date' }, undefined],
    [{ created_at: '2025-02-30T00:00:00Z' }, undefined],
    [{ created_at: true }, undefined],
    [{ created_at: 1e300 }, undefined],
  ])('%j is of %s', (fields, time) => {
    expect(stepsOf(user('x', fields))[0]?.timestamp).toBe(time);
  });

  it.each<[object, object | undefined]>([
    [{ usage: { prompt_tokens: 0, input_tokens: 7, output_tokens: 3 } }, { prompt_tokens: 0, completion_tokens: 3 }],
    [
      { usage: { prompt_tokens: 9, prompt_tokens_details: { cached_tokens: 4 }, cost_usd: 0.5 } },
      {
        prompt_tokens: 9,
        cached_tokens: 4,
        cost_usd: 0.5,
        extra: { prompt_tokens_details: { cached_tokens: 4 } },
      },
    ],
    [{ extra: { response: { usage: { input_tokens: 2 } } } }, { prompt_tokens: 2 }],
    [{ usage: { prompt_tokens: 'NaN' } }, undefined],
    [{ usage: { prompt_tokens: 1.5 } }, undefined],
    [{ usage: {} }, undefined],
  ])('%j gives the metrics %j', (fields, metrics) => {
    const [step] = stepsOf(assistant('x', fields));
    expect(step?.metrics).toEqual(metrics);
    expect(step?.llm_call_count).toBe(metrics && 1);
  });

  it('the model of a turn is the one its message names', () => {
    expect(stepsOf(assistant('x', { model: 'm1' }))[0]?.model_name).toBe('m1');
    expect(stepsOf(assistant('x', { model_name: 'm2' }))[0]?.model_name).toBe('m2');
    expect(stepsOf(assistant('x', { extra: { response: { model: 'm3' } } }))[0]?.model_name).toBe('m3');
    expect(documentOf([assistant('x', { model: 'm' }), assistant('y', { model: 'm' })]).agent.model_name).toBe('m');
    expect(documentOf([assistant('x', { model: 'm' }), assistant('y', { model: 'n' })]).agent).not.toHaveProperty(
      'model_name',
    );
  });

  it('the label of the request is kept, else its ground truth; without a reward there is none', () => {
    const request = aRollout([]).request;
    const osmosis = (more: object): unknown =>
      documentOf([user('x')], { request: { ...request, ...more } }).extra?.['osmosis'];
    expect(osmosis({ metadata: { ground_truth: '4' } })).toMatchObject({ label: '4' });
    expect(osmosis({ label: '5', metadata: { ground_truth: '4' }, extraFields: { row_index: 0, n: null } })).toEqual({
      rollout_id: 'r1',
      label: '5',
      request_metadata: { ground_truth: '4' },
      request_extra_fields: { row_index: 0, n: null },
    });
  });

  it('keeps what user code says of the sample, but for figures that are none; a removed one keeps its reward', () => {
    const { outcome } = aRollout([user('x')]);
    const sample = { removed: true, metrics: { turns: 2, odd: NaN, list: [1, Infinity, 2] } };
    const { extra } = documentOf([user('x')], { outcome: { ...outcome, reward: 0.5, sample } });
    expect(extra).toMatchObject({
      osmosis: { reward: 0.5, sample_metrics: { turns: 2, list: [1, 2] } },
      rollout: { removed: true },
    });
    const nothing = documentOf([user('x')], { outcome: { ...outcome, sample: { removed: false, metrics: {} } } });
    expect(nothing.extra?.['osmosis']).not.toHaveProperty('sample_metrics');
    expect(nothing.extra?.['rollout']).not.toHaveProperty('removed');
  });

  it('tells how the rollout ended, what it was given and when', () => {
    const outcome = {
      reward: 0.5,
      rewards: [{ name: 'exact', weight: 1, value: 0.5, durationMs: 2 }],
      status: 'ERROR',
      errorMessage: 'it broke',
      finishReason: 'error',
    } as const satisfies Partial<RolloutOutcome>;
    const rollout = aRollout([user('x')]);
    const document = documentOf([user('x')], { outcome: { ...rollout.outcome, ...outcome }, startedAt: 1_000 });
    expect(document.extra).toEqual({
      osmosis: expect.objectContaining({ reward: 0.5 }) as object,
      rollout: {
        agent: 'calculator',
        dialect: 'osmosis-v0.2',
        status: 'ERROR',
        finish_reason: 'error',
        error_message: 'it broke',
        rewards: [{ name: 'exact', weight: 1, value: 0.5, duration_ms: 2 }],
        metrics: expect.objectContaining({ num_llm_calls: 0, max_context_tokens: 0 }) as object,
        accepted_at: '1970-01-01T00:00:00+00:00',
        started_at: '1970-01-01T00:00:01+00:00',
      },
    });
  });

  it('a rollout that ended before its first chat call has its prompt; one without any message has no document', () => {
    const rollout = aRollout([]);
    expect(trajectoryDocument(rollout)).toBeNull();
    const document = trajectoryDocument({ ...rollout, request: { ...rollout.request, messages: [user('x')] } });
    expect(document?.steps).toEqual([{ step_id: 1, source: 'user', message: 'x' }]);
  });
});

describe('what was recorded while the rollout ran', () => {
  const message = assistant('2');
  const completion = new ChatCompletion({
    message,
    finishReason: 'stop',
    usage: { promptTokens: 12, completionTokens: 4 },
    usageReport: { prompt_tokens: 12, completion_tokens: 4, prompt_tokens_details: { cached_tokens: 8 } },
    model: 'osmosis-rollout',
    tokenIds: [5, 6],
    promptTokenIds: [1, 2, 3],
    logprobs: {
      content: [
        { token: 'a', logprob: -0.5 },
        { token: 'b', logprob: 0 },
      ],
    },
  });
  const chat = { completion, answeredAt: 1_500, latencyMs: 20.0004 };
  const metrics = {
    prompt_tokens: 12,
    completion_tokens: 4,
    cached_tokens: 8,
    prompt_token_ids: [1, 2, 3],
    completion_token_ids: [5, 6],
    logprobs: [-0.5, 0],
    extra: { prompt_tokens_details: { cached_tokens: 8 }, finish_reason: 'stop', latency_ms: 20 },
  };

  it('goes to its step: usage, token ids, log probabilities, model and time', () => {
    const document = documentOf([user('1 + 1?'), message], { record: { chats: [chat], tools: [] } });
    expect(document.steps[1]).toEqual({
      step_id: 2,
      timestamp: '1970-01-01T00:00:01.500+00:00',
      source: 'agent',
      model_name: 'osmosis-rollout',
      message: '2',
      metrics,
      llm_call_count: 1,
    });
    expect(document.final_metrics).toEqual({
      total_prompt_tokens: 12,
      total_completion_tokens: 4,
      total_cached_tokens: 8,
      total_steps: 2,
    });
    expect(document.agent.model_name).toBe('osmosis-rollout');
  });

  it('is found by order where a loop makes messages of its own', () => {
    const before = assistant('an example in the prompt');
    const steps = documentOf([before, user('?'), { ...message }], { record: { chats: [chat], tools: [] } }).steps;
    expect(steps[0]).not.toHaveProperty('metrics');
    expect(steps[2]?.metrics).toEqual(metrics);
  });

  it('stays apart when no step can be said to be its own', () => {
    const aside = { ...chat, completion: new ChatCompletion({ ...completion, message: assistant('an aside') }) };
    const document = documentOf([user('?'), message], { record: { chats: [aside, chat], tools: [] } });
    expect(document.steps[1]?.metrics).toEqual(metrics);
    expect(document.extra?.['osmosis']).toMatchObject({
      unmatched_llm_call_metrics: [{ ...metrics, model_name: 'osmosis-rollout' }],
    });
    expect(document.final_metrics).toMatchObject({ total_prompt_tokens: 24 });
  });

  it.each([
    [[-0.1, -0.2], [-0.1, -0.2], undefined],
    [{ odd: 1 }, undefined, { odd: 1 }],
    [[-0.1, null], undefined, [-0.1, null]],
    [null, undefined, undefined],
  ])('log probabilities %j', (logprobs, numbers, kept) => {
    const odd = { ...chat, completion: new ChatCompletion({ ...completion, logprobs }) };
    const [step] = documentOf([message], { record: { chats: [odd], tools: [] } }).steps;
    expect(step?.metrics?.logprobs).toEqual(numbers);
    expect(step?.metrics?.extra?.['logprobs']).toEqual(kept);
  });

  it('an odd usage falls back to what was counted, odd token ids are left out', () => {
    const fields = { ...completion, usageReport: { prompt_tokens: -0.5 }, tokenIds: ['x'] as unknown as number[] };
    const odd = { ...chat, completion: new ChatCompletion(fields) };
    const [step] = documentOf([message], { record: { chats: [odd], tools: [] } }).steps;
    expect(step?.metrics).toMatchObject({ prompt_tokens: 12, completion_tokens: 4 });
    expect(step?.metrics).not.toHaveProperty('completion_token_ids');
  });

  it('tells of tools how long they took and whether they failed', () => {
    const [calling, answer] = TOOL_TURN as [ChatMessage, ToolMessage];
    const tools = [{ message: answer, answeredAt: 2_000, durationMs: 3, failed: false }];
    const [step] = documentOf([calling, answer], { record: { chats: [], tools } }).steps;
    expect(step?.observation).toEqual({
      results: [
        {
          source_call_id: 'call_1',
          content: '2',
          extra: { duration_ms: 3, answered_at: '1970-01-01T00:00:02+00:00', failed: false },
        },
      ],
    });
  });
});
