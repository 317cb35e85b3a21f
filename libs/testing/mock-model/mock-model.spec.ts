import type { CompletionsRequest } from '../wire/chat-completions.js';
import { completion, toAssistantMessage, toolCall } from './answers.js';
import { completionsResponse } from './completions-response.js';
import { fakePromptTokenIds, fakeTokenIds } from './fake-tokens.js';
import { asksForTool } from './keyword-rule.js';
import { compileScript } from './script.js';

const request = (overrides: Partial<CompletionsRequest> = {}): CompletionsRequest => ({
  model: 'default',
  messages: [{ role: 'user', content: 'hi' }],
  rollout_id: 'r-1',
  temperature: 1,
  top_p: 1,
  max_tokens: 512,
  stop: null,
  logprobs: true,
  ...overrides,
});

describe('fake tokens (spec 12.16)', () => {
  it.each([
    ['', []],
    ['hello', [0, 1, 2, 3, 4]],
    ['a😀', [0, 1]],
  ])('%j has one id for each code point', (text, ids) => expect(fakeTokenIds(text)).toEqual(ids));

  it.each([
    [0, 10],
    [1, 10],
    [2, 20],
    [3, 30],
  ])('a prompt of %d messages has %d ids', (messages, ids) => {
    const prompt = Array.from({ length: messages }, () => ({ role: 'user', content: '' }));
    expect(fakePromptTokenIds(prompt)).toEqual(Array.from({ length: ids }, (_, index) => index));
  });
});

describe('the keyword rule (spec 12.16)', () => {
  it.each(['calculate', 'add', 'sum', 'plus', 'subtract', 'multiply', 'divide'])('"%s" asks for a tool', (word) => {
    expect(asksForTool({ role: 'user', content: `please ${word.toUpperCase()} it` })).toBe(true);
  });

  it.each([
    [{ role: 'assistant', content: 'add' }],
    [{ role: 'system', content: 'add' }],
    [{ role: 'tool', content: 'add' }],
    [{ content: 'add' }],
    [{ role: 'user', content: 5 }],
    [{ role: 'user', content: null }],
    [{ role: 'user' }],
    [{ role: 'user', content: [{ type: 'text', text: 'add' }] }],
    [{ role: 'user', content: 'hello' }],
  ])('%j does not', (message) => expect(asksForTool(message)).toBe(false));

  it('takes part of a word as the reference does, and whole words only when asked', () => {
    const message = { role: 'user', content: 'What is your address?' };
    expect(asksForTool(message)).toBe(true);
    expect(asksForTool(message, 'word')).toBe(false);
    expect(asksForTool({ role: 'user', content: 'Add 1 and 2.' }, 'word')).toBe(true);
  });
});

describe('scripted answers', () => {
  it('text, tool calls and partial messages become assistant messages', () => {
    const call = toolCall('add', { a: 1 }, 'c1');
    expect(toAssistantMessage('hi')).toEqual({ role: 'assistant', content: 'hi' });
    expect(toAssistantMessage([call])).toEqual({ role: 'assistant', content: null, tool_calls: [call] });
    expect(toAssistantMessage({ refusal: 'no', content: 'x' })).toEqual({
      role: 'assistant',
      content: 'x',
      refusal: 'no',
    });
  });

  it('toolCall writes the arguments as JSON, sends text as it is, and numbers the calls', () => {
    expect(toolCall('add', { a: 1 }).function).toEqual({ name: 'add', arguments: '{"a":1}' });
    expect(toolCall('add', '{broken').function?.arguments).toBe('{broken');
    expect(toolCall('add').id).not.toBe(toolCall('add').id);
  });

  it('the finish reason follows the tool calls, and completion() replaces any field', () => {
    expect(completionsResponse(request(), 'x').choices[0]?.finish_reason).toBe('stop');
    expect(completionsResponse(request(), [toolCall('add')]).choices[0]?.finish_reason).toBe('tool_calls');
    const cut = completionsResponse(request(), completion('x', { finish_reason: 'length', usage: null, model: 'm' }));
    expect(cut).toMatchObject({ model: 'm', usage: null, choices: [{ finish_reason: 'length' }] });
  });

  it('a list that is too short says which rollout wanted more', () => {
    const script = compileScript({ script: ['only one'] });
    expect(script(request(), 0)).toBe('only one');
    expect(() => script(request(), 1)).toThrow(/has 1 answer.*'r-1' made 2 chat requests/);
  });

  it('a script and a tool call generator exclude each other', () => {
    expect(() => compileScript({ script: [], toolCallGenerator: () => null })).toThrow(/Pass one of them/);
  });
});
