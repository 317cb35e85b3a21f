import { Cancellation, type ChatParams, type ToolDefinition } from '#domain';
import { chatEnvelope } from './chat-envelope.js';
import { chatUrl } from './chat-url.js';

const TOOL = { type: 'function', function: { name: 'add', description: 'Adds', parameters: {} } } as ToolDefinition;

function envelope(params: ChatParams, tools: readonly ToolDefinition[] = [], ignored: string[] = []): unknown {
  const call = { params, tools, cancellation: new Cancellation() };
  const { model, tail } = chatEnvelope(call, (name) => ignored.push(name));
  return JSON.parse(`{"model":${model},${tail}}`);
}

describe('chatEnvelope (spec 0.3, 1.14, 1.21)', () => {
  it('is a plain OpenAI request with the agent’s tools', () => {
    expect(envelope({ temperature: 0.5, tool_choice: 'auto', seed: null }, [TOOL])).toEqual({
      model: 'osmosis-rollout',
      tools: [TOOL],
      temperature: 0.5,
      tool_choice: 'auto',
      stream: false,
    });
  });

  it('has no tools when the agent has none, and the call’s own when it gives some', () => {
    expect(envelope({})).toEqual({ model: 'osmosis-rollout', stream: false });
    expect(envelope({ model: 'mine', tools: [] }, [TOOL])).toEqual({ model: 'mine', tools: [], stream: false });
  });

  it('ignores what the server sets itself, and says so', () => {
    const ignored: string[] = [];
    expect(envelope({ messages: [], stream: true, n: 2 }, [], ignored)).toEqual({
      model: 'osmosis-rollout',
      stream: false,
    });
    expect(ignored).toEqual(['messages', 'stream', 'n']);
  });

  it.each([{ temperature: NaN }, { model: 5 }, { extra: 1n }])('%p cannot be sent', (params) => {
    expect(() => envelope(params)).toThrow(expect.objectContaining({ code: 'REQUEST_INVALID' }));
  });
});

describe('chatUrl', () => {
  it.each([
    ['http://h/v1/rollouts/r', 'http://h/v1/rollouts/r/chat/completions'],
    ['http://h/v1/rollouts/r//', 'http://h/v1/rollouts/r/chat/completions'],
    [' http://h:1 ', 'http://h:1/chat/completions'],
    ['http://h/v1?key=1', 'http://h/v1/chat/completions?key=1'],
    ['http://user:secret@h/v1', 'http://h/v1/chat/completions'],
    ['', '/chat/completions'],
  ])('%p', (base, url) => {
    expect(chatUrl(base)).toBe(url);
  });
});
