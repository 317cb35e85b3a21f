import type { ChatMessage } from '#domain';
import { ChatHistory } from './chat-history.js';

const ENVELOPE = { model: '"m"', tail: '"rollout_id":"r"' };

function bodyOf(history: ChatHistory, messages: readonly ChatMessage[], envelope = ENVELOPE): unknown {
  return JSON.parse(history.encode(messages, envelope).toString());
}

/** Counts how often it is serialised. */
function counting(content: string): { message: ChatMessage; serialised: () => number } {
  let count = 0;
  const message = { role: 'user', content, toJSON: () => ({ role: 'user', content, nth: ++count }) };
  return { message, serialised: () => count };
}

describe('ChatHistory', () => {
  it('writes head, messages and tail', () => {
    const body = new ChatHistory().encode([{ role: 'user', content: 'ä😀' }], ENVELOPE);
    expect(body.toString()).toBe('{"model":"m","messages":[{"role":"user","content":"ä😀"}],"rollout_id":"r"}');
  });

  it('serialises each message once, however many turns follow', () => {
    const history = new ChatHistory();
    const { message, serialised } = counting('first');
    const messages: ChatMessage[] = [message];
    for (let turn = 0; turn < 40; turn++) {
      const tail = `"turn":${turn}`;
      expect(bodyOf(history, messages, { model: '"m"', tail })).toEqual({
        model: 'm',
        messages: messages.map((each, index) => (index === 0 ? { role: 'user', content: 'first', nth: 1 } : each)),
        turn,
      });
      messages.push({ role: 'assistant', content: 'é'.repeat(turn * 100) });
    }
    expect(serialised()).toBe(1);
  });

  it('gives the same bytes for the same call (a retry)', () => {
    const history = new ChatHistory();
    const messages = [{ role: 'user', content: 'x' }];
    const first = Buffer.from(history.encode(messages, ENVELOPE));
    expect(history.encode([...messages], ENVELOPE).equals(first)).toBe(true);
  });

  it('keeps null fields, unknown ones and their order: what came goes back (RS-01)', () => {
    const text =
      '{"role":"assistant","content":null,"tool_calls":[{"id":"c","function":{"arguments":"{ }"}}],"x":{"b":1,"a":null}}';
    const body = new ChatHistory().encode([JSON.parse(text) as ChatMessage], ENVELOPE).toString();
    expect(body).toContain(`[${text}]`);
  });

  it('starts anew when an earlier message was replaced, when the list got shorter, or the model changed', () => {
    const history = new ChatHistory();
    const [a, b, c] = ['a', 'b', 'c'].map((content) => ({ role: 'user', content })) as [
      ChatMessage,
      ChatMessage,
      ChatMessage,
    ];
    bodyOf(history, [a, b]);
    expect(bodyOf(history, [a, c])).toMatchObject({ messages: [a, c] });
    expect(bodyOf(history, [c])).toMatchObject({ messages: [c] });
    expect(bodyOf(history, [])).toMatchObject({ messages: [] });
    expect(bodyOf(history, [a])).toMatchObject({ messages: [a] });
    expect(bodyOf(history, [a, b], { ...ENVELOPE, model: '"other"' })).toMatchObject({
      model: 'other',
      messages: [a, b],
    });
  });

  it('A-JSON: NaN is null, a lone surrogate the replacement character', () => {
    expect(bodyOf(new ChatHistory(), [{ role: 'user', content: 'a\ud800', score: NaN }])).toMatchObject({
      messages: [{ role: 'user', content: 'a\ufffd', score: null }],
    });
  });

  it.each<[string, unknown, string]>([
    ['a BigInt', { role: 'user', content: 1n }, 'messages[1] has no JSON form: Do not know how to serialize a BigInt'],
    ['text', 'hello', 'messages[1] is no object'],
    ['nothing', undefined, 'messages[1] is no object'],
    ['a list', [], 'messages[1] is no object'],
  ])('names a message that is %s', (_, odd, text) => {
    const history = new ChatHistory();
    const fine = { role: 'user', content: 'ok' };
    const call = (): unknown => history.encode([fine, odd as ChatMessage], ENVELOPE);
    expect(call).toThrow(`Chat call not sent: ${text}`);
    expect(call).toThrow(expect.objectContaining({ code: 'REQUEST_INVALID' }));
    expect(bodyOf(history, [fine, fine])).toMatchObject({ messages: [fine, fine] });
  });

  it('names a message that contains itself', () => {
    const cycle: Record<string, unknown> = { role: 'user' };
    cycle['self'] = cycle;
    expect(() => new ChatHistory().encode([cycle], ENVELOPE)).toThrow(
      'messages[0] has no JSON form: Converting circular structure to JSON',
    );
  });

  it('refuses messages that are no list', () => {
    const history = new ChatHistory();
    const none = null as unknown as ChatMessage[];
    expect(() => history.encode(none, ENVELOPE)).toThrow('messages is no list');
  });
});
