import { ListedModel, sessionOf } from '../../test/support/sessions.js';
import { defineTool } from './define-tool.js';
import { runToolLoop } from './tool-loop.js';
import { ToolSet } from './tool.types.js';

const look = defineTool({ name: 'look', description: 'Look', execute: () => 'seen' });
const calls = [{ id: 'c', type: 'function', function: { name: 'look', arguments: '{}' } }];

describe('the built-in loop', () => {
  it('chats and runs tools until an answer has no tool calls', async () => {
    const model = new ListedModel([{ tool_calls: calls }, { content: 'done' }]);
    const { ctx } = sessionOf({ model, tools: new ToolSet([look]) });
    const result = await runToolLoop(ctx);
    expect(result.finishReason).toBe('stop');
    expect(result.finalMessages.map((message) => message.role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    expect(model.asked[1]?.messages).toEqual(result.finalMessages.slice(0, 3));
  });

  it("leaves the request's own list of messages alone", async () => {
    const { ctx } = sessionOf({ model: new ListedModel([{ content: 'done' }]) });
    await runToolLoop(ctx);
    expect(ctx.request.messages).toHaveLength(1);
  });

  it.each([0, -1])('max_turns %i asks nobody', async (maxTurns) => {
    const model = new ListedModel([]);
    const { ctx } = sessionOf({ model, request: { maxTurns } });
    expect(await runToolLoop(ctx)).toMatchObject({ finishReason: 'max_turns', finalMessages: ctx.request.messages });
    expect(model.asked).toEqual([]);
  });

  it('an answer within the last turn still counts as stop', async () => {
    const { ctx } = sessionOf({ model: new ListedModel([{ content: 'x', tokens: 9_000 }]), request: { maxTurns: 1 } });
    expect(await runToolLoop(ctx)).toMatchObject({ finishReason: 'stop' });
  });

  it('max_tokens_total ends it before the next chat', async () => {
    const model = new ListedModel([{ tool_calls: calls, tokens: 99 }]);
    const { ctx } = sessionOf({ model, tools: new ToolSet([look]), request: { maxTokensTotal: 100 } });
    expect(await runToolLoop(ctx)).toMatchObject({ finishReason: 'max_tokens' });
  });

  it.each(['length', 'content_filter'])('%s ends it, tools not run but answered', async (finish) => {
    const { ctx } = sessionOf({ model: new ListedModel([{ tool_calls: calls, finish }]), tools: new ToolSet([look]) });
    const result = await runToolLoop(ctx);
    expect(result.finishReason).toBe(finish);
    expect(result.finalMessages.at(-1)).toMatchObject({ role: 'tool', tool_call_id: 'c' });
    expect(ctx.metrics.numToolCalls).toBe(0);
  });
});
