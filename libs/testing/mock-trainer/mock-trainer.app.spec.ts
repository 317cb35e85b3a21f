import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import supertest from 'supertest';
import { RolloutCompletionTracker } from '../completion-tracker.js';
import { createMockTrainerApp } from './mock-trainer.app.js';
import type { MockTrainerOptions } from './mock-trainer.options.js';

const apps: NestFastifyApplication[] = [];

async function trainerWith(options: MockTrainerOptions = {}): Promise<ReturnType<typeof supertest>> {
  const app = await createMockTrainerApp({ logger: false, ...options });
  apps.push(app);
  return supertest(app.getHttpServer());
}

afterEach(async () => {
  await Promise.all(apps.splice(0).map((app) => app.close()));
});

const chatBody = (...messages: object[]): object => ({ rollout_id: 'r-1', messages });
const user = (content: string): object => ({ role: 'user', content });
const CHAT = '/v1/chat/completions';
const COMPLETED = '/v1/rollout/completed';

describe('the mock trainer as the reference has it (spec 10, 12.16)', () => {
  it('GET /health', async () => {
    const trainer = await trainerWith();
    await trainer.get('/health').expect(200, { status: 'healthy', service: 'mock-trainer' });
  });

  it('answers a chat with the whole response', async () => {
    const trainer = await trainerWith();
    const { body } = await trainer
      .post(CHAT)
      .send({ ...chatBody(user('hello')), model: 'm' })
      .expect(200);
    expect(body).toEqual({
      id: 'r-1',
      object: 'chat.completion',
      created: expect.any(Number),
      model: 'm',
      choices: [{ index: 0, message: { role: 'assistant', content: 'OK.' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 10, completion_tokens: 3, total_tokens: 13 },
      token_ids: [0, 1, 2],
      logprobs: [0, 0, 0],
      prompt_token_ids: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    });
  });

  it('a keyword asks for the one tool call, with finish reason stop', async () => {
    const trainer = await trainerWith();
    const { body } = await trainer.post(CHAT).send(chatBody(user('Calculate 5 and 3')));
    const call = { id: 'call_mock_add', type: 'function', function: { name: 'add', arguments: '{"a": 5, "b": 3}' } };
    expect(body.choices[0]).toEqual({
      index: 0,
      message: { role: 'assistant', content: "I'll help you with that calculation.", tool_calls: [call] },
      finish_reason: 'stop',
    });
  });

  it('a tool message ends the calculation, no message at all is "OK."', async () => {
    const trainer = await trainerWith();
    const tool = { role: 'tool', content: '8', tool_call_id: 'call_mock_add' };
    const afterTool = await trainer.post(CHAT).send(chatBody(user('add'), tool));
    expect(afterTool.body.choices[0].message).toEqual({ role: 'assistant', content: 'The calculation is complete.' });
    const empty = await trainer.post(CHAT).send(chatBody());
    expect(empty.body.choices[0].message).toEqual({ role: 'assistant', content: 'OK.' });
  });

  it('a generator of tool calls takes the place of the keywords', async () => {
    const call = { id: 'x', type: 'function', function: { name: 'search', arguments: '{}' } };
    const trainer = await trainerWith({ toolCallGenerator: (last) => (last.content === 'go' ? [call] : null) });
    const asked = await trainer.post(CHAT).send(chatBody(user('go')));
    expect(asked.body.choices[0].message.tool_calls).toEqual([call]);
    const plain = await trainer.post(CHAT).send(chatBody(user('calculate')));
    expect(plain.body.choices[0].message).toEqual({ role: 'assistant', content: 'OK.' });
  });

  it('keeps completions without their nulls, the last one for each rollout', async () => {
    const tracker = new RolloutCompletionTracker();
    const trainer = await trainerWith({ tracker });
    const sent = { rollout_id: 'r-1', status: 'COMPLETED', finish_reason: 'stop', reward: null, unknown: 1 };
    await trainer.post(COMPLETED).send(sent).expect(200, { status: 'ok' });
    const kept = {
      rollout_id: 'r-1',
      status: 'COMPLETED',
      final_messages: [],
      finish_reason: 'stop',
      extra_fields: {},
    };
    await trainer.get(`${COMPLETED}/r-1`).expect(200, kept);
    await trainer.post(COMPLETED).send({ rollout_id: 'r-1', status: 'ERROR', error_message: '' });
    const { body } = await trainer.get(`${COMPLETED}/r-1`);
    expect(body).toMatchObject({ status: 'ERROR', error_message: '' });
    expect(tracker.responses).toEqual([kept, body]);
    await trainer.get(`${COMPLETED}/nobody`).expect(200, {});
  });

  it('fills in the metrics and takes numbers in text', async () => {
    const tracker = new RolloutCompletionTracker();
    const trainer = await trainerWith({ tracker });
    const metrics = { total_latency_ms: '1.5', num_llm_calls: true };
    await trainer.post(COMPLETED).send({ rollout_id: '', status: 'COMPLETED', reward: '0.5', metrics }).expect(200);
    expect(tracker.responses[0]).toMatchObject({
      rollout_id: '',
      reward: 0.5,
      metrics: { total_latency_ms: 1.5, num_llm_calls: 1, max_context_tokens: 0 },
    });
  });
});

describe('what the mock trainer refuses', () => {
  const refused = async (path: string, body: unknown): Promise<unknown> => {
    const trainer = await trainerWith();
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const response = await trainer.post(path).set('content-type', 'application/json').send(text).expect(422);
    return (response.body.detail as { type: string; loc: unknown[] }[]).map(({ type, loc }) => [type, loc.join('.')]);
  };

  it.each<[string, string, unknown, [string, string][]]>([
    [
      'missing fields',
      CHAT,
      {},
      [
        ['missing', 'body.messages'],
        ['missing', 'body.rollout_id'],
      ],
    ],
    ['stop as one string', CHAT, { ...chatBody(), stop: 'x' }, [['list_type', 'body.stop']]],
    ['stop with a number in it', CHAT, { ...chatBody(), stop: ['x', 1] }, [['string_type', 'body.stop.1']]],
    ['a blank id', CHAT, { messages: [], rollout_id: '   ' }, [['value_error', 'body.rollout_id']]],
    ['an empty id', CHAT, { messages: [], rollout_id: '' }, [['string_too_short', 'body.rollout_id']]],
    ['a long id', CHAT, { messages: [], rollout_id: 'x'.repeat(257) }, [['string_too_long', 'body.rollout_id']]],
    ['a message that is no object', CHAT, chatBody([] as object), [['dict_type', 'body.messages.0']]],
    ['a null temperature', CHAT, { ...chatBody(), temperature: null }, [['float_type', 'body.temperature']]],
    ['broken JSON', CHAT, '{"a": ', [['json_invalid', 'body.6']]],
    ['no body', COMPLETED, '', [['missing', 'body']]],
    ['an unknown status', COMPLETED, { rollout_id: 'r', status: 'completed' }, [['enum', 'body.status']]],
    ['no status', COMPLETED, { rollout_id: 'r' }, [['missing', 'body.status']]],
    [
      'wrong metrics',
      COMPLETED,
      { rollout_id: 'r', status: 'ERROR', metrics: { num_tool_calls: 1.5 } },
      [['int_from_float', 'body.metrics.num_tool_calls']],
    ],
    [
      'metrics that are no object',
      COMPLETED,
      { rollout_id: 'r', status: 'ERROR', metrics: [] },
      [['model_attributes_type', 'body.metrics']],
    ],
  ])('%s', async (_name, path, body, faults) => expect(await refused(path, body)).toEqual(faults));

  it('a refused completion is not recorded', async () => {
    const tracker = new RolloutCompletionTracker();
    const trainer = await trainerWith({ tracker });
    await trainer.post(COMPLETED).send({ rollout_id: 'r', status: 'DONE' }).expect(422);
    expect(tracker.event).toBe(false);
  });

  it('unknown paths and wrong methods, in the reference’s words', async () => {
    const trainer = await trainerWith();
    await trainer.post('/v1/elsewhere').send({}).expect(404, { detail: 'Not Found' });
    const response = await trainer.get(CHAT).expect(405, { detail: 'Method Not Allowed' });
    expect(response.headers['allow']).toBe('POST');
  });

  it('whoever lacks the key, when there is one', async () => {
    const trainer = await trainerWith({ apiKey: 'k-1' });
    const body = chatBody(user('hi'));
    await trainer.post(CHAT).send(body).expect(401, { detail: 'Invalid or missing API key' });
    await trainer.post(CHAT).set('authorization', 'Bearer k-2').send(body).expect(401);
    await trainer.post(CHAT).set('authorization', 'Bearer k-1').send(body).expect(200);
    await trainer.post(COMPLETED).send({ rollout_id: 'r', status: 'ERROR' }).expect(401);
    await trainer.get('/health').expect(200);
  });
});
