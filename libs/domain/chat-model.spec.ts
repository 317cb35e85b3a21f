import { ChatCompletion } from './chat-model.js';
import type { ChatMessage } from './message.js';

function completion(message: ChatMessage, finishReason: string | null = 'stop'): ChatCompletion {
  return new ChatCompletion({ message, finishReason, usage: null });
}

describe('ChatCompletion', () => {
  it('carries the very message that was received', () => {
    const message = { role: 'assistant', content: null, vendor_field: 1 };
    expect(completion(message).message).toBe(message);
  });

  it('RS-09: the presence of tool calls decides, whatever the finish reason says', () => {
    const call = { id: 'c', function: { name: 'add', arguments: '{}' } };
    for (const finishReason of ['stop', 'tool_call', 'eos', null]) {
      const answer = completion({ role: 'assistant', content: null, tool_calls: [call] }, finishReason);
      expect(answer.hasToolCalls).toBe(true);
      expect(answer.toolCalls).toEqual([call]);
    }
    expect(completion({ role: 'assistant', content: '42' }, 'tool_calls').hasToolCalls).toBe(false);
  });

  it('RS-03: null and empty tool calls are none', () => {
    expect(completion({ role: 'assistant', content: '42', tool_calls: null }).hasToolCalls).toBe(false);
    expect(completion({ role: 'assistant', content: '42', tool_calls: [] }).hasToolCalls).toBe(false);
  });

  it('has an empty content and null extras when the model sent none', () => {
    const answer = completion({ role: 'assistant', content: null });
    expect(answer.content).toBe('');
    expect(answer).toMatchObject({ usage: null, tokenIds: null, promptTokenIds: null, logprobs: null });
  });
});
