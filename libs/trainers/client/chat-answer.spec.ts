import { PeerStatusError, ProtocolError, Secret, systemClock, type ChatCompletion } from '#domain';
import { httpResponse } from '../transport/fixtures/http-response.js';
import { readChatAnswer } from './chat-answer.js';

const CONTEXT = {
  url: new URL('http://t/v1/chat/completions'),
  secret: Secret.from('SECRET-7f3a'),
  clock: systemClock,
};
const MESSAGE = { role: 'assistant', content: 'hi' };

function read(body: unknown, headers: Record<string, string> = {}, status = 200): ChatCompletion {
  const raw = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const response = httpResponse(status, { 'content-type': 'application/json', ...headers });
  return readChatAnswer(response.withBody(Buffer.from(raw)), CONTEXT);
}

function faultOf(body: unknown, headers: Record<string, string> = {}): Error {
  try {
    read(body, headers);
  } catch (error) {
    return error as Error;
  }
  throw new Error('the answer was expected to be refused');
}

const choice = (fields: object): object => ({ choices: [{ index: 0, message: MESSAGE, ...fields }] });

describe('readChatAnswer', () => {
  it('maps everything a trainer sends (spec 12.4)', () => {
    const completion = read({
      ...choice({ finish_reason: 'length' }),
      usage: { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 },
      token_ids: [1, 2],
      prompt_token_ids: [3],
      logprobs: [-0.5],
    });
    expect(completion).toMatchObject({
      message: MESSAGE,
      finishReason: 'length',
      usage: { promptTokens: 20, completionTokens: 10 },
      tokenIds: [1, 2],
      promptTokenIds: [3],
      logprobs: [-0.5],
    });
  });

  it('finds token ids and log probabilities in the choice as well, and keeps model and usage as they came', () => {
    const usage = { prompt_tokens: 20, prompt_tokens_details: { cached_tokens: 16 } };
    const logprobs = { content: [{ token: 'hi', logprob: -0.25 }] };
    const completion = read({
      ...choice({ token_ids: [1], prompt_token_ids: [2], logprobs }),
      model: 'osmosis-rollout',
      usage,
    });
    expect(completion).toMatchObject({
      tokenIds: [1],
      promptTokenIds: [2],
      logprobs,
      model: 'osmosis-rollout',
      usageReport: usage,
    });
    expect(read({ ...choice({}), model: 5, usage: 'none' })).toMatchObject({ model: null, usageReport: null });
  });

  it('needs no more than a message: finish_reason is then stop, null stays null (spec 3.4)', () => {
    expect(read(choice({}))).toMatchObject({
      finishReason: 'stop',
      usage: null,
      tokenIds: null,
      promptTokenIds: null,
      logprobs: null,
    });
    expect(read(choice({ finish_reason: null })).finishReason).toBeNull();
    expect(read(choice({ finish_reason: 7 })).finishReason).toBeNull();
  });

  it('RS-01: keeps the message as it came, nulls and unknown fields included', () => {
    const message = { role: 'assistant', content: null, tool_calls: [{ id: 'c' }], reasoning: { a: null } };
    expect(JSON.stringify(read(choice({ message })).message)).toBe(JSON.stringify(message));
  });

  it.each([
    [[{ id: 'c1' }], true],
    [[], false],
    [null, false],
    [undefined, false],
  ])('RS-03: tool_calls %j means tool calls: %s', (tool_calls, has) => {
    const completion = read(choice({ message: { ...MESSAGE, tool_calls } }));
    expect(completion.hasToolCalls).toBe(has);
    expect(completion.toolCalls).toHaveLength(has ? 1 : 0);
  });

  it.each([[{}], [{ choices: [] }], [{ choices: null }], [{ choices: {} }]])(
    'RS-05: %j has no choices, and a second sample may have some',
    (body) => {
      const error = faultOf(body);
      expect(error).toBeInstanceOf(ProtocolError);
      expect(error).toMatchObject({ retryable: true, message: expect.stringContaining('there are no choices') });
    },
  );

  it.each([
    ['[]', 'the JSON is list'],
    ['null', 'the JSON is NoneType'],
    ['{"choices":[null]}', 'choices[0] is NoneType'],
    ['{"choices":[{}]}', 'choices[0].message is NoneType'],
    ['{"choices":[{"message":"hi"}]}', 'choices[0].message is str'],
  ])('refuses %s', (body, text) => {
    expect(faultOf(body)).toMatchObject({ code: 'PROTOCOL', message: expect.stringContaining(text) });
  });

  describe('RS-06: an error inside a 200', () => {
    it.each([
      [{ code: 429, message: 'slow down' }, 429, true],
      [{ code: '503', message: 'slow down' }, 503, true],
      [{ code: 402, message: 'slow down' }, 402, false],
      [{ code: 'rate_limit_exceeded', message: 'slow down' }, 429, true],
      [{ type: 'overloaded_error', message: 'slow down' }, 503, true],
      [{ code: 'bad_thing', message: 'slow down' }, 200, false],
      ['slow down', 200, false],
    ])('%j counts as %i, retryable: %s', (error, status, retryable) => {
      for (const body of [{ error }, choice({ error })]) {
        const fault = faultOf(body);
        expect(fault).toBeInstanceOf(PeerStatusError);
        expect(fault).toMatchObject({ status, retryable, message: expect.stringContaining('slow down') });
      }
    });

    it('keeps Retry-After', () => {
      expect(faultOf({ error: { code: 429 } }, { 'retry-after': '9' })).toMatchObject({ retryAfterMs: 9_000 });
    });

    it.each([null, '', {}])('is none when it is %j', (error) => {
      expect(read({ error, ...choice({ error }) }).content).toBe('hi');
    });
  });

  it.each([
    [undefined, null],
    [null, null],
    [{}, { promptTokens: 0, completionTokens: 0 }],
    [
      { prompt_tokens: null, completion_tokens: 5 },
      { promptTokens: 0, completionTokens: 5 },
    ],
    [
      { prompt_tokens: -1, completion_tokens: 'x' },
      { promptTokens: 0, completionTokens: 0 },
    ],
  ])('RS-07: usage %j counts as %j', (usage, expected) => {
    expect(read({ ...choice({}), usage }).usage).toEqual(expected);
  });

  it.each([
    ['a stream', 'data: {"choices":[]}\n\ndata: [DONE]\n\n', { 'content-type': 'text/event-stream' }],
    ['a stream under a false name', 'data: {"choices":[]}\n\n', {}],
    ['JSON with the end mark of a stream', `${JSON.stringify(choice({}))}\ndata: [DONE]\n`, {}],
  ])('RS-11: %s is named as what it is', (_, body, headers) => {
    const { message } = faultOf(body, headers);
    expect(message).toContain("'text/event-stream'");
    expect(message).not.toContain('Unexpected token');
  });

  it('RS-11: good JSON is good JSON, whatever its content type', () => {
    expect(read(choice({}), { 'content-type': 'text/event-stream' }).content).toBe('hi');
  });

  it('NT-05: a web page is named as what it is', () => {
    const error = faultOf('<!DOCTYPE html><html>', { 'content-type': 'text/html' });
    expect(error).toBeInstanceOf(ProtocolError);
    expect(error.message).toContain('answered 200, but the body is a web page, no JSON (content-type text/html)');
  });

  it.each([
    ['{"logprobs":[-Infinity]}', 'the literal -Infinity at position 13'],
    ['{"a": NaN}', 'the literal NaN at position 6'],
    ['{"a": Infinity}', 'the literal Infinity at position 6'],
    ['{"a" 1}', "Expecting ':' delimiter at position 5"],
    ['', 'the body is empty'],
  ])('TC-09: %s is refused with the position', (body, text) => {
    expect(faultOf(body)).toMatchObject({ code: 'PROTOCOL', retryable: true, message: expect.stringContaining(text) });
  });

  it('does not look through a huge broken body for the place', () => {
    expect(faultOf(`{"a":"${'x'.repeat(5_000_000)}`).message).toContain('broken somewhere in 5000006 characters');
  });

  it('refuses bytes that are no UTF-8, and skips a byte order mark', () => {
    expect(faultOf(Buffer.from([0x7b, 0xff, 0x7d])).message).toContain('no UTF-8');
    expect(read(`\ufeff${JSON.stringify(choice({}))}`).content).toBe('hi');
  });

  it('AU-05: does not show a key that the peer echoes', () => {
    expect(faultOf({ error: { code: 401, message: 'bad SECRET-7f3a' } }).message).toContain('bad [secret]');
  });
});
