import type { ChatParams } from '#domain';
import { chatEnvelope } from './chat-params.js';

function fieldsOf(params: ChatParams): Record<string, unknown> {
  const { model, tail } = chatEnvelope(params, 'r', () => {});
  return JSON.parse(`{"model":${model},${tail}}`) as Record<string, unknown>;
}

describe('chatEnvelope', () => {
  it('has the fields of spec 1.4 in their order, with their defaults, and stream: false (RS-11)', () => {
    const { model, tail } = chatEnvelope({}, 'r-1', () => {});
    expect(model).toBe('"default"');
    expect(tail).toBe('"rollout_id":"r-1","temperature":1,"top_p":1,"max_tokens":512,"logprobs":true,"stream":false');
  });

  it('takes null for absent (spec 13.11)', () => {
    const none = { model: null, temperature: null, top_p: null, max_tokens: null, stop: null, logprobs: null };
    expect(fieldsOf(none)).toEqual(fieldsOf({}));
  });

  it.each([
    [
      { temperature: '0.5', top_p: ' 1e-1 ', max_tokens: '7' },
      { temperature: 0.5, top_p: 0.1, max_tokens: 7 },
    ],
    [
      { temperature: true, max_tokens: 5.0 },
      { temperature: 1, max_tokens: 5 },
    ],
    [{ logprobs: 'yes' }, { logprobs: true }],
    [{ logprobs: 'OFF' }, { logprobs: false }],
    [{ logprobs: 0 }, { logprobs: false }],
    [{ stop: 'END' }, { stop: ['END'] }],
    [{ stop: [1, null, 'x'] }, { stop: ['1', 'None', 'x'] }],
    [{ model: 'm"1' }, { model: 'm"1' }],
  ])('converts %j', (params, expected) => {
    expect(fieldsOf(params)).toMatchObject(expected);
  });

  it.each([
    ['temperature', 'hot', 'a finite number, not the text "hot"'],
    ['temperature', NaN, 'a finite number, not NaN'],
    ['top_p', 'inf', 'a finite number, not the text "inf"'],
    ['top_p', [], 'a finite number, not a list'],
    ['max_tokens', 1.5, 'an integer, not 1.5'],
    ['max_tokens', '1e3', 'an integer, not the text "1e3"'],
    ['logprobs', 'maybe', 'true or false, not the text "maybe"'],
    ['model', 7, 'a string, not 7'],
    ['seed', 1n, 'a value that has a JSON form, not of type bigint'],
  ])('refuses %s = %p, naming it', (name, value, text) => {
    const call = (): unknown => chatEnvelope({ [name]: value }, 'r', () => {});
    expect(call).toThrow(`Chat parameter '${name}' must be ${text}`);
    expect(call).toThrow(expect.objectContaining({ code: 'REQUEST_INVALID', details: { parameter: name } }));
  });

  it('hands on what the reference does not know, as strict JSON (spec 13.11)', () => {
    expect(fieldsOf({ seed: 123, tool_choice: 'auto', extra: { a: [NaN, '\ud800'] }, gone: undefined })).toMatchObject({
      seed: 123,
      tool_choice: 'auto',
      extra: { a: [null, '\ufffd'] },
    });
  });

  it('ignores what only the server sets, and says so', () => {
    const ignored: string[] = [];
    const params = { messages: [], rollout_id: 'other', stream: true, n: 2, tools: [{}] };
    const { tail } = chatEnvelope(params, 'mine', (name) => ignored.push(name));
    expect(ignored).toEqual(['messages', 'rollout_id', 'stream', 'n', 'tools']);
    expect(tail).toBe(chatEnvelope({}, 'mine', () => {}).tail);
  });

  it('says nothing about reserved parameters that change nothing', () => {
    const ignored: string[] = [];
    chatEnvelope({ stream: false, n: null, tools: undefined }, 'r', (name) => ignored.push(name));
    expect(ignored).toEqual([]);
  });
});
