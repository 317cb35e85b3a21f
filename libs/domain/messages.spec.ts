import {
  countMessagesByRole,
  getMessageContent,
  getMessageRole,
  getMessageText,
  getSolutionText,
  isAssistantMessage,
  isToolMessage,
  isUserMessage,
  normalizeStop,
  parseToolCalls,
} from './messages.js';
import type { ChatMessage } from './message.js';

/** A message as a careless peer sends it: the type says what is right, the wire says what is there. */
function odd(message: Record<string, unknown>): ChatMessage {
  return message;
}

describe('parseToolCalls', () => {
  it('12.13: gives the very list of the message', () => {
    const calls = [{ id: 'c1', function: { name: 'add', arguments: '{}' } }];
    expect(parseToolCalls({ role: 'assistant', tool_calls: calls })).toBe(calls);
  });

  it.each([
    ['missing', {}],
    ['null', { tool_calls: null }],
    ['a string', { tool_calls: 'add' }],
    ['an object', { tool_calls: {} }],
    ['an empty list', { tool_calls: [] }],
  ])('12.13, RS-03: is empty when tool_calls is %s', (_, message) => {
    expect(parseToolCalls(odd(message))).toEqual([]);
  });

  it('does not look into the elements', () => {
    expect(parseToolCalls(odd({ tool_calls: [1, null] }))).toEqual([1, null]);
  });
});

describe('getMessageContent and getMessageRole', () => {
  it('12.13: a string content is kept, everything else is no content', () => {
    expect(getMessageContent({ content: ' hi ' })).toBe(' hi ');
    for (const content of [null, undefined, 123, [{ type: 'text', text: 'hi' }]]) {
      expect(getMessageContent({ content })).toBe('');
    }
  });

  it('12.13: a role that is missing or no string is unknown; an empty one stays empty', () => {
    expect(getMessageRole({ role: 'assistant' })).toBe('assistant');
    expect(getMessageRole({})).toBe('unknown');
    expect(getMessageRole(odd({ role: 123 }))).toBe('unknown');
    expect(getMessageRole({ role: '' })).toBe('');
  });
});

describe('role tests', () => {
  it.each([
    ['assistant', [true, false, false]],
    ['tool', [false, true, false]],
    ['user', [false, false, true]],
    ['system', [false, false, false]],
    ['Assistant', [false, false, false]],
    [undefined, [false, false, false]],
  ])('12.13: %s', (role, expected) => {
    const message = { role };
    expect([isAssistantMessage(message), isToolMessage(message), isUserMessage(message)]).toEqual(expected);
  });
});

describe('countMessagesByRole', () => {
  it('12.13: counts in order of first appearance, messages without a role as unknown', () => {
    const counts = countMessagesByRole([{ role: 'user' }, { role: 'assistant' }, { role: 'user' }, {}]);
    expect(Object.entries(counts)).toEqual([
      ['user', 2],
      ['assistant', 1],
      ['unknown', 1],
    ]);
    expect(countMessagesByRole([{}])).toEqual({ unknown: 1 });
    expect(countMessagesByRole([])).toEqual({});
  });

  it('counts roles that are named like members of Object', () => {
    const counts = countMessagesByRole([{ role: '__proto__' }, { role: 'constructor' }, { role: '__proto__' }]);
    expect(Object.entries(counts)).toEqual([
      ['__proto__', 2],
      ['constructor', 1],
    ]);
  });
});

describe('normalizeStop', () => {
  it.each([
    [null, null],
    [undefined, null],
    ['stop', ['stop']],
    ['', ['']],
    [[], []],
    [
      ['a', 'b'],
      ['a', 'b'],
    ],
    [
      [1, 2, 3],
      ['1', '2', '3'],
    ],
    [
      [null, true, false, 1.5],
      ['None', 'True', 'False', '1.5'],
    ],
    [123, null],
    [true, null],
    [{ stop: 'x' }, null],
  ])('12.13: %j becomes %j', (stop, expected) => {
    expect(normalizeStop(stop)).toEqual(expected);
  });
});

describe('getMessageText', () => {
  it('RS-08: joins the text parts of a list and leaves out thinking, images and unknown parts', () => {
    const content = [
      { type: 'thinking', thinking: [{ type: 'text', text: 'h' }] },
      { type: 'text', text: 'The answer ' },
      { type: 'image_url', image_url: { url: 'data:' }, text: 'alt' },
      { type: 'output_text', text: 'is 7' },
      null,
      'loose',
      { type: 'text', text: 7 },
    ];
    expect(getMessageText({ content })).toBe('The answer is 7');
  });

  it('is the content itself when that is a string, and empty when there is none', () => {
    expect(getMessageText({ content: '42' })).toBe('42');
    expect(getMessageText({ content: null })).toBe('');
    expect(getMessageText({})).toBe('');
  });
});

describe('getSolutionText', () => {
  it('is the last assistant message that has any text', () => {
    const messages = [
      { role: 'user', content: '6 * 7?' },
      { role: 'assistant', content: 'thinking' },
      { role: 'assistant', content: '42' },
      { role: 'assistant', content: null, tool_calls: [] },
      { role: 'tool', content: 'noise', tool_call_id: 'c' },
    ];
    expect(getSolutionText(messages)).toBe('42');
  });

  it('RS-15: a refusal is no text', () => {
    expect(getSolutionText([{ role: 'assistant', content: null, refusal: 'I cannot do that' }])).toBe('');
  });

  it('is empty when the model never spoke', () => {
    expect(getSolutionText([{ role: 'user', content: 'hi' }])).toBe('');
    expect(getSolutionText([])).toBe('');
  });
});
