import { OsmosisError, systemClock } from '#domain';
import { ListedModel, sessionOf } from '../../test/support/sessions.js';
import { defineTool } from './define-tool.js';
import { ToolSet } from './tool.types.js';
import { TrajectoryRecorder } from './trajectory.recorder.js';

const QUESTION = [{ role: 'user', content: 'hi' }];

describe('RolloutContext', () => {
  describe('chat', () => {
    it("applies the request's completion parameters unless the call overrides them", async () => {
      const model = new ListedModel([{ content: 'a' }, { content: 'b' }]);
      const { ctx } = sessionOf({ model });
      await ctx.chat(QUESTION);
      await ctx.chat(QUESTION, { temperature: 0, seed: 7 });
      expect(model.asked.map(({ call }) => call.params)).toEqual([
        { temperature: 0.5, stop: ['END'] },
        { temperature: 0, stop: ['END'], seed: 7 },
      ]);
    });

    it('12.3: hands the messages to the model and gives its answer', async () => {
      const model = new ListedModel([{ content: 'hello' }]);
      const { ctx } = sessionOf({ model });
      const answer = await ctx.chat(QUESTION);
      expect(model.asked[0]?.messages).toEqual(QUESTION);
      expect(answer.content).toBe('hello');
      expect(answer.hasToolCalls).toBe(false);
    });

    it('asks nobody once the rollout is cancelled', async () => {
      const model = new ListedModel([{ content: 'hello' }]);
      const { session, ctx } = sessionOf({ model });
      const reason = new OsmosisError('CANCELLED', 'enough');
      session.cancellation.cancel(reason);
      await expect(ctx.chat(QUESTION)).rejects.toBe(reason);
      expect(model.asked).toEqual([]);
    });

    it('asks nobody once the loop has ended: what it left running changes nothing any more', async () => {
      const model = new ListedModel([{ content: 'hello' }]);
      const { session, ctx } = sessionOf({ model });
      session.end();
      await expect(ctx.chat(QUESTION)).rejects.toThrow(/rollout has ended.*Await every ctx\.chat\(\)/);
      expect(model.asked).toEqual([]);
    });

    it('counts calls, tokens and the largest context', async () => {
      const { ctx } = sessionOf({ model: new ListedModel([{ tokens: 30 }, { tokens: 20 }]) });
      await ctx.chat(QUESTION);
      await ctx.chat(QUESTION);
      expect(ctx.metrics).toMatchObject({
        numLlmCalls: 2,
        promptTokens: 50,
        responseTokens: 2,
        maxContextTokens: 31,
      });
      expect(ctx.conversationTokens).toBe(31);
    });
  });

  it('notes what each turn and each tool took, of the very messages, when the trajectory is wanted', async () => {
    const recorder = new TrajectoryRecorder(systemClock);
    const divide = defineTool({
      name: 'divide',
      description: 'Divides',
      execute: () => {
        throw new Error('by zero');
      },
    });
    const { ctx } = sessionOf({ recorder, model: new ListedModel([{ tokens: 5 }]), tools: new ToolSet([divide]) });
    const answer = await ctx.chat(QUESTION);
    const results = await ctx.executeTools([{ id: 'c', function: { name: 'divide', arguments: '{}' } }]);
    expect(recorder.chats).toHaveLength(1);
    expect(recorder.chats[0]?.completion).toBe(answer);
    expect(recorder.tools).toEqual([
      { message: results[0], failed: true, durationMs: expect.any(Number), answeredAt: expect.any(Number) },
    ]);
    expect(recorder.tools[0]?.message).toBe(results[0]);
  });

  describe('12.3: the end of a loop', () => {
    it('complete is COMPLETED with finish reason stop', () => {
      const { ctx } = sessionOf();
      expect(ctx.complete(QUESTION)).toMatchObject({
        status: 'COMPLETED',
        finalMessages: QUESTION,
        finishReason: 'stop',
        errorMessage: null,
      });
      expect(ctx.complete(QUESTION, 'bored', 0.5)).toMatchObject({ finishReason: 'bored', reward: 0.5 });
    });

    it('error is ERROR, with the given messages, or with the conversation so far', async () => {
      const { ctx } = sessionOf({ model: new ListedModel([{ content: 'hello' }]) });
      expect(ctx.error('m')).toMatchObject({ status: 'ERROR', finishReason: 'error', finalMessages: [] });
      await ctx.chat(QUESTION);
      expect(ctx.error('m').finalMessages).toEqual([...QUESTION, { role: 'assistant', content: 'hello' }]);
      expect(ctx.error('m', QUESTION).finalMessages).toBe(QUESTION);
    });
  });

  it('12.3: recordToolCall counts and adds up', () => {
    const { ctx } = sessionOf();
    ctx.recordToolCall(100);
    ctx.recordToolCall(50);
    ctx.recordToolCall();
    expect(ctx.metrics).toMatchObject({ numToolCalls: 3, toolLatencyMs: 150 });
  });

  it('12.3: logEvent does nothing without traces, and writes event and data with them', () => {
    expect(sessionOf().ctx.traceEnabled).toBe(false);
    expect(() => sessionOf().ctx.logEvent('pre_llm', { turn: 1 })).not.toThrow();
    const write = jest.fn();
    const { ctx } = sessionOf({ trace: { write } });
    ctx.logEvent('pre_llm', { turn: 1 });
    expect(ctx.traceEnabled).toBe(true);
    expect(write).toHaveBeenCalledWith('r1', 'pre_llm', { turn: 1 });
  });

  describe('executeTools', () => {
    const double = defineTool<{ n: number }>({
      name: 'double',
      description: 'Twice a number',
      input: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
      execute: ({ n }, ctx) => ({ twice: n * 2, id: ctx.toolCall?.id }),
    });
    const call = (id: string, args: string) => ({
      id,
      type: 'function',
      function: { name: 'double', arguments: args },
    });

    it('takes calls or the message that has them, and answers in order', async () => {
      const { ctx } = sessionOf({ tools: new ToolSet([double]) });
      const calls = [call('a', '{"n":1}'), call('b', '{"n":2}')];
      const expected = [
        { role: 'tool', content: '{"twice": 2, "id": "a"}', tool_call_id: 'a' },
        { role: 'tool', content: '{"twice": 4, "id": "b"}', tool_call_id: 'b' },
      ];
      expect(await ctx.executeTools(calls)).toEqual(expected);
      expect(await ctx.executeTools({ role: 'assistant', tool_calls: calls })).toEqual(expected);
      expect(await ctx.executeTools({ role: 'assistant' })).toEqual([]);
      expect(ctx.metrics.numToolCalls).toBe(4);
    });

    it('a tool that changes arguments sent as an object leaves the conversation alone', async () => {
      const greedy = defineTool<{ list: number[] }>({
        name: 'greedy',
        description: 'Eats its input',
        input: { type: 'object', properties: { list: { type: 'array' } } },
        execute: (input) => input.list.splice(0).length,
      });
      const { ctx } = sessionOf({ tools: new ToolSet([greedy]) });
      const args = { list: [1, 2] };
      await ctx.executeTools([{ id: 'a', function: { name: 'greedy', arguments: args } }]);
      expect(args).toEqual({ list: [1, 2] });
    });

    it('rejects with the reason when the rollout is cancelled, and the late result is dropped', async () => {
      const slow = defineTool({
        name: 'slow',
        description: 'Takes its time',
        execute: () => new Promise((_resolve, reject) => setTimeout(() => reject(new Error('late')), 30)),
      });
      const { session, ctx } = sessionOf({ tools: new ToolSet([slow]) });
      const running = ctx.executeTools([{ id: 'a', function: { name: 'slow' } }]);
      const reason = new OsmosisError('CANCELLED', 'enough');
      session.cancellation.cancel(reason);
      await expect(running).rejects.toBe(reason);
      await new Promise((resolve) => setTimeout(resolve, 50));
    });
  });
});
