import { Agent } from '#osmosis';
import { completion, httpAnswer, toolCall, type MockScript } from '#testing';
import {
  expectAppendOnly,
  expectIdle,
  expectOneCompletionEach,
  expectPaired,
  toolMessages,
} from './support/assertions.js';
import { startRig, type Rig } from './support/rig.js';
import { scored, SpyAgent } from './support/spy.agents.js';
import { handled, handledBy, ToolsAgent } from './support/tools.agent.js';

@Agent({ name: 'plain', default: true })
class PlainAgent {}

/** Odd answers of the trainer's model (cases RS-*, and the body part of TC-09 and NT-05). */
describe('answers of the model', () => {
  let script: MockScript = [];
  let rig: Rig;

  beforeAll(async () => {
    rig = await startRig({
      providers: [PlainAgent, SpyAgent, ToolsAgent],
      trainer: { script: (request, turn) => (typeof script === 'function' ? script(request, turn) : script[turn]!) },
    });
  });
  afterAll(() => rig.close());
  beforeEach(() => {
    handled.length = scored.length = 0;
    rig.recorder.clear();
    rig.tracker.clear();
  });
  afterEach(async () => {
    expectOneCompletionEach(rig);
    expectAppendOnly(rig.chatRequests());
    await expectIdle(rig);
  });

  it('RS-01: content null beside tool calls travels back as it came', async () => {
    const answer = { content: null, tool_calls: [toolCall('noop', {}, 'c1')], odd_field: { kept: [null] } };
    script = [answer, 'done'];
    const result = await rig.run({ agent: 'tools' });
    const [, second] = rig.chatRequests();
    expect(second?.messages[1]).toEqual({ role: 'assistant', ...answer });
    expect(result.final_messages[1]).toEqual({ role: 'assistant', ...answer });
    expectPaired(second!.messages);
  });

  it.each([[[]], [null]])('RS-03: tool_calls %j are no tool calls', async (toolCalls) => {
    script = [{ content: '42', tool_calls: toolCalls }];
    const result = await rig.run({ agent: 'spy', metadata: { ground_truth: '42' } });
    expect(result).toMatchObject({ status: 'COMPLETED', finish_reason: 'stop', reward: 0.5 });
    expect(rig.chatRequests()).toHaveLength(1);
    expect(scored[0]?.solution).toBe('42');
  });

  it('RS-05: no choices is a named fault, retried and then told', async () => {
    script = () => httpAnswer(200, { body: { id: 'x', choices: [], usage: {} } });
    const result = await rig.run();
    expect(result).toMatchObject({ status: 'ERROR', finish_reason: 'error' });
    expect(result.error_message).toContain('no choices');
    expect(result.error_message).not.toContain('Cannot read properties');
    expect(result.extra_fields).toMatchObject({ failure: { class: 'model', phase: 'model', retryable: true } });
    expect(rig.chatRequests()).toHaveLength(4);
  });

  it('RS-06: an error inside a 200 counts as its own status', async () => {
    let asked = 0;
    script = () => (asked++ === 0 ? httpAnswer(200, { body: { error: { code: 429, message: 'slow down' } } }) : 'ok');
    expect(await rig.run()).toMatchObject({ status: 'COMPLETED' });
    expect(rig.chatRequests()).toHaveLength(2);

    rig.recorder.clear();
    script = () => httpAnswer(200, { body: { choices: [{ error: { code: 402, message: 'no credit left' } }] } });
    const refused = await rig.run();
    expect(refused.error_message).toContain('no credit left');
    expect(rig.chatRequests()).toHaveLength(1);
  });

  it('RS-07: usage that is missing, null or partial counts as 0', async () => {
    const usage = [undefined, null, { prompt_tokens: null, completion_tokens: 5 }];
    script = (_request, turn) => completion(turn < 2 ? [toolCall('noop')] : 'done', { usage: usage[turn] as never });
    const { metrics } = await rig.run({ agent: 'tools' });
    expect(metrics).toMatchObject({ num_llm_calls: 3, prompt_tokens: 0, response_tokens: 5 });
    expect(Object.values(metrics!).every((value) => Number.isFinite(value))).toBe(true);
  });

  it('RS-08: content in parts stays as it is, and the reward reads its text without the thinking', async () => {
    const content = [
      { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
      { type: 'text', text: 'The answer is 7' },
      { type: 'mystery', text: 5 },
    ];
    script = [{ content }];
    const result = await rig.run({ agent: 'spy', metadata: { ground_truth: '7' } });
    expect(scored[0]?.solution).toBe('The answer is 7');
    expect(result.final_messages.at(-1)).toEqual({ role: 'assistant', content });
  });

  it.each(['stop', 'tool_call', null, 'eos'])(
    'RS-09: tool calls count, whatever finish_reason %j says',
    async (reason) => {
      script = [completion([toolCall('noop')], { finish_reason: reason }), completion('done', { finish_reason: null })];
      const result = await rig.run({ agent: 'tools' });
      expect(handledBy('noop')).toHaveLength(1);
      expect(result.finish_reason).toBe('stop');
    },
  );

  it('RS-11: we ask for no stream, and say so when we get one', async () => {
    const headers = { 'content-type': 'text/event-stream' };
    script = () => httpAnswer(200, { headers, body: 'data: {"choices":[]}\n\ndata: [DONE]\n\n' });
    const streamed = await rig.run();
    expect(rig.chatRequests()[0]?.['stream']).toBe(false);
    expect(streamed.error_message).toContain('text/event-stream');
    expect(streamed.error_message).not.toContain('Unexpected token');

    script = () => httpAnswer(200, { body: '{"choices":[{"message":{"role":"assistant"}}]}\ndata: [DONE]' });
    const trailing = await rig.run();
    expect(trailing.error_message).toContain("ends with 'data: [DONE]'");
  });

  it('RS-13: tool calls of an answer that was cut off are not run', async () => {
    script = [completion([toolCall('purge', { where: 'id=1' })], { finish_reason: 'length' })];
    const result = await rig.run({ agent: 'tools' });
    expect(handled).toEqual([]);
    expect(result).toMatchObject({ status: 'COMPLETED', finish_reason: 'length' });
    expect(toolMessages(result)[0]?.content).toContain('not run');
    expectPaired(result.final_messages);
    expect(rig.chatRequests()).toHaveLength(1);
  });

  it('RS-15: a refusal is an empty solution and stays visible', async () => {
    script = [{ content: null, refusal: 'I cannot help' }];
    const result = await rig.run({ agent: 'spy', metadata: { ground_truth: 'x' } });
    expect(scored[0]?.solution).toBe('');
    expect(result).toMatchObject({ status: 'COMPLETED' });
    expect(result.final_messages.at(-1)).toMatchObject({ refusal: 'I cannot help' });
  });

  it('RS-16: an empty turn ends the rollout', async () => {
    script = [{ content: '', tool_calls: [] }];
    const result = await rig.run({ agent: 'spy', metadata: { ground_truth: 'x' } });
    expect(result).toMatchObject({ status: 'COMPLETED', finish_reason: 'stop' });
    expect(rig.chatRequests()).toHaveLength(1);
  });

  it('TC-09: a non-finite number in the body is a fault with its position', async () => {
    script = () => httpAnswer(200, { body: '{"choices":[{"message":{"role":"assistant"}}],"logprobs":[-Infinity]}' });
    const result = await rig.run();
    expect(result.status).toBe('ERROR');
    expect(result.error_message).toMatch(/position 6\d|position 5\d/);
  });
});
