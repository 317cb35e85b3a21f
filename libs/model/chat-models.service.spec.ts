import { inspect } from 'node:util';
import { createServer } from 'node:net';
import { Test } from '@nestjs/testing';
import { Cancellation, OsmosisError, type ChatMessage } from '#domain';
import { ChatModels } from './chat-models.service.js';
import { ModelModule } from './model.module.js';
import { ModelNotFoundError, ProviderRequestError } from './provider.error.js';
import { chatReply, errorReply, FakeProvider, responsesReply, toolReply } from './testing/fake-provider.js';
import type { HostedChatCall, HostedChatModel } from './hosted.chat-model.js';
import type { ModelModuleOptions } from './model.options.js';
import type { ModelSpec } from './model.resolver.js';

const MESSAGES: readonly ChatMessage[] = [
  { role: 'system', content: 'be brief' },
  { role: 'user', content: 'hi' },
];
const FAST = { baseDelayMs: 20, maxDelayMs: 40 };
const KEY = 'SECRET-9c1b';

let fake: FakeProvider;
let closing: (() => Promise<void>)[] = [];

beforeEach(async () => {
  fake = await FakeProvider.start();
});

afterEach(async () => {
  for (const close of closing) await close();
  closing = [];
  await fake.stop();
});

async function models(options: ModelModuleOptions = {}): Promise<ChatModels> {
  const app = await Test.createTestingModule({ imports: [ModelModule.forRoot({ retry: FAST, ...options })] }).compile();
  closing.push(() => app.close());
  return app.get(ChatModels);
}

async function open(spec: Partial<ModelSpec> = {}, options: ModelModuleOptions = {}): Promise<HostedChatModel> {
  return (await models(options)).open({ model: 'some-model', baseUrl: fake.url, apiKey: KEY, ...spec });
}

function call(more: Partial<HostedChatCall> = {}): HostedChatCall {
  return { params: {}, tools: [], cancellation: new Cancellation(), ...more };
}

async function failure(promise: Promise<unknown>): Promise<ProviderRequestError> {
  const error: unknown = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ProviderRequestError))
    throw new Error(`expected a ProviderRequestError, got ${inspect(error)}`);
  return error;
}

describe('a hosted model', () => {
  it('posts the messages as they are and hands back the very message', async () => {
    fake.behave([chatReply('hello', { reasoning_content: 'x' })]);
    const answer = await (await open()).complete(MESSAGES, call({ params: { max_tokens: 5, top_p: 0.5 } }));
    expect(fake.seen[0]).toMatchObject({ method: 'POST', path: '/v1/chat/completions' });
    expect(fake.seen[0]?.body).toEqual({ model: 'some-model', messages: MESSAGES, max_tokens: 5, top_p: 0.5 });
    expect(fake.seen[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(Object.keys(fake.seen[0]?.headers ?? {}).filter((name) => name.startsWith('x-stainless'))).toEqual([]);
    expect(answer.message).toEqual({ role: 'assistant', content: 'hello', reasoning_content: 'x' });
    expect(answer.usage).toEqual({ promptTokens: 11, completionTokens: 7 });
    expect(answer.finishReason).toBe('stop');
    expect(answer.raw.id).toBe('chatcmpl-1');
  });

  it('offers tools and reads tool calls', async () => {
    fake.behave((request) => toolReply(request, { a: 1 }));
    const parameters = { type: 'object', properties: {} };
    const tool = { type: 'function', function: { name: 'add', description: 'adds', parameters } } as const;
    const answer = await (await open()).complete(MESSAGES, call({ tools: [tool] }));
    expect(fake.seen[0]?.body.tools).toEqual([tool]);
    expect(answer.toolCalls[0]?.function).toEqual({ name: 'add', arguments: '{"a":1}' });
  });

  it('sends no authorization to a keyless server, and azure’s key in its own header', async () => {
    await (await open({ apiKey: null })).complete(MESSAGES, call());
    expect(fake.seen[0]?.headers.authorization).toBeUndefined();
    await (await open({ model: 'azure/my-deployment' })).complete(MESSAGES, call());
    expect(fake.seen[1]).toMatchObject({ path: '/openai/v1/chat/completions' });
    expect(fake.seen[1]?.headers).toMatchObject({ 'api-key': KEY });
    expect(fake.seen[1]?.headers.authorization).toBeUndefined();
  });

  it('asks a registered provider at its own address with its own key', async () => {
    const service = await models({ env: { CF_KEY: 'cf-key' } });
    service.registerProvider({ name: 'cf', baseUrl: `${fake.url}/v1`, keyEnv: ['CF_KEY'] });
    await service.open({ model: 'cf/@cf/openai/gpt-oss-120b' }).complete(MESSAGES, call());
    expect(fake.seen[0]?.body.model).toBe('@cf/openai/gpt-oss-120b');
    expect(fake.seen[0]?.headers.authorization).toBe('Bearer cf-key');
  });

  it('anthropic: sends the token limit its interface demands, unless the caller sets one', async () => {
    const model = await open({ model: 'anthropic/claude-x' });
    await model.complete(MESSAGES, call());
    await model.complete(MESSAGES, call({ params: { max_tokens: 9 } }));
    expect(fake.seen.map((request) => request.body.max_tokens)).toEqual([4096, 9]);
  });
});

describe('the Responses interface', () => {
  const tool = {
    type: 'function',
    function: { name: 'add', description: 'adds', parameters: { type: 'object' } },
  } as const;

  it('says what a chat request would say, and keeps nothing at OpenAI', async () => {
    fake.behave([responsesReply('{"score":1}')]);
    const model = await open({ model: 'gpt-5-mini', api: 'responses', reasoningEffort: 'low' });
    const params = {
      max_tokens: 50,
      response_format: { type: 'json_schema', json_schema: { name: 'n', strict: true, schema: {} } },
      tool_choice: { type: 'function', function: { name: 'add' } },
    };
    const history = [
      ...MESSAGES,
      { role: 'assistant', content: null, tool_calls: [{ id: 'c1', function: { name: 'add', arguments: '{}' } }] },
      { role: 'tool', tool_call_id: 'c1', content: '3' },
    ];
    const answer = await model.complete(history, call({ params, tools: [tool], preferred: { temperature: 0 } }));
    expect(fake.seen[0]?.path).toBe('/v1/responses');
    expect(fake.seen[0]?.body).toEqual({
      model: 'gpt-5-mini',
      store: false,
      input: [
        ...MESSAGES,
        { type: 'function_call', call_id: 'c1', name: 'add', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c1', output: '3' },
      ],
      tools: [{ type: 'function', name: 'add', description: 'adds', parameters: { type: 'object' } }],
      max_output_tokens: 50,
      reasoning: { effort: 'low' },
      text: { format: { type: 'json_schema', name: 'n', strict: true, schema: {} } },
      tool_choice: { type: 'function', name: 'add' },
    });
    expect(answer.content).toBe('{"score":1}');
    expect(answer.usage).toEqual({ promptTokens: 21, completionTokens: 9 });
  });

  it('reads tool calls and why an answer was cut', async () => {
    const model = await open({ model: 'gpt-5-mini', api: 'responses' });
    const output = [{ type: 'function_call', call_id: 'c9', name: 'add', arguments: '{"a":1}' }];
    fake.behave([
      { body: { status: 'completed', output } },
      { body: { status: 'incomplete', output: [], incomplete_details: { reason: 'max_output_tokens' } } },
      { body: { status: 'incomplete', output: [], incomplete_details: { reason: 'content_filter' } } },
      { body: { status: 'completed' } },
    ]);
    const first = await model.complete(MESSAGES, call());
    expect(first.toolCalls).toEqual([{ id: 'c9', type: 'function', function: { name: 'add', arguments: '{"a":1}' } }]);
    expect(first.finishReason).toBe('tool_calls');
    expect((await model.complete(MESSAGES, call())).finishReason).toBe('length');
    expect((await failure(model.complete(MESSAGES, call()))).kind).toBe('content_filter');
    expect((await failure(model.complete(MESSAGES, call()))).kind).toBe('protocol');
  });
});

describe('parameters', () => {
  const refusesTemperature = (request: { body: Readonly<Record<string, unknown>> }) =>
    'temperature' in request.body
      ? errorReply(400, "Unsupported value: 'temperature' does not support 0 with this model.", {
          param: 'temperature',
          code: 'unsupported_value',
        })
      : chatReply('ok');

  it.each(['gpt-5-mini', 'o3', 'o4-mini', 'vendor/gpt-5:free'])(
    'RJ-09: %s is known to fix its own sampling, wherever it is served',
    async (model) => {
      fake.behave(refusesTemperature);
      await (await open({ model })).complete(MESSAGES, call({ preferred: { temperature: 0 } }));
      expect(fake.seen).toHaveLength(1);
    },
  );

  it('RJ-09: an unknown model is asked once more without the parameter it names, and that is remembered', async () => {
    fake.behave(refusesTemperature);
    const service = await models();
    const spec = { model: 'my-reasoner', baseUrl: fake.url };
    await service.open(spec).complete(MESSAGES, call({ preferred: { temperature: 0 } }));
    await service.open(spec).complete(MESSAGES, call({ preferred: { temperature: 0 } }));
    expect(fake.seen.map((request) => 'temperature' in request.body)).toEqual([true, false, false]);
  });

  it('RJ-09: a value that the caller set is never dropped: the refusal is the error', async () => {
    fake.behave(refusesTemperature);
    const error = await failure((await open()).complete(MESSAGES, call({ params: { temperature: 0.7 } })));
    expect(error).toMatchObject({ kind: 'parameter', parameter: 'temperature', status: 400 });
    expect(error.message).toContain('does not support 0');
    expect(fake.seen).toHaveLength(1);
  });

  it('RJ-10: the other name of the token limit is learned from a refusal', async () => {
    fake.behave((request) =>
      'max_tokens' in request.body ? errorReply(400, "Use 'max_completion_tokens' instead.") : chatReply('ok'),
    );
    const model = await open();
    await model.complete(MESSAGES, call({ params: { max_tokens: 7 } }));
    await model.complete(MESSAGES, call({ params: { max_tokens: 8 } }));
    expect(fake.seen.map((request) => request.body.max_completion_tokens)).toEqual([undefined, 7, 8]);
  });

  it('RJ-10: a limit that is too large is an error with the provider’s text, sent once', async () => {
    fake.behave([errorReply(400, 'max_tokens is too large: 99999', { param: 'max_tokens', code: 'invalid_value' })]);
    const error = await failure((await open()).complete(MESSAGES, call({ params: { max_tokens: 99_999 } })));
    expect(error.message).toContain('max_tokens is too large: 99999');
    expect(fake.seen).toHaveLength(1);
  });

  it('contradictory refusals come to an end', async () => {
    fake.behave((request) =>
      errorReply(400, 'max_tokens' in request.body ? 'use max_completion_tokens' : 'use max_tokens'),
    );
    await failure((await open()).complete(MESSAGES, call({ params: { max_tokens: 7 } })));
    expect(fake.seen).toHaveLength(2);
  });

  it('a wish for reasoning effort is dropped where it is refused', async () => {
    fake.behave((request) =>
      'reasoning_effort' in request.body
        ? {
            status: 422,
            body: { message: { detail: [{ type: 'extra_forbidden', loc: ['body', 'reasoning_effort'] }] } },
          }
        : chatReply('ok'),
    );
    await (await open({ reasoningEffort: 'high' })).complete(MESSAGES, call());
    expect(fake.seen.map((request) => request.body.reasoning_effort)).toEqual(['high', undefined]);
  });
});

describe('retries', () => {
  it('RJ-13: waits as long as a 429 asks, and tries again', async () => {
    fake.behave([
      errorReply(429, 'slow down', { headers: { 'retry-after': '0.2' } }),
      errorReply(429, 'slow down', { headers: { 'retry-after': '0.2' } }),
      chatReply('ok'),
    ]);
    await (await open()).complete(MESSAGES, call());
    const [first, second, third] = fake.seen.map((request) => request.at) as [number, number, number];
    expect(second - first).toBeGreaterThan(180);
    expect(third - second).toBeGreaterThan(180);
  });

  it('RJ-13: a rate limit for ever ends as that, after the configured number of tries', async () => {
    fake.behave([errorReply(429, 'slow down')]);
    const error = await failure((await open({}, { retry: { ...FAST, maxRetries: 2 } })).complete(MESSAGES, call()));
    expect(error).toMatchObject({ kind: 'rate_limit', status: 429, retryable: true });
    expect(error).not.toBeInstanceOf(ModelNotFoundError);
    expect(fake.seen).toHaveLength(3);
  });

  it('does not wait longer than allowed', async () => {
    fake.behave([errorReply(429, 'come back tomorrow', { headers: { 'retry-after': '86400' } })]);
    expect((await failure((await open()).complete(MESSAGES, call()))).retryAfterMs).toBe(86_400_000);
    expect(fake.seen).toHaveLength(1);
  });

  it('NT-05: HTML with a 502 is retried; for ever, it is told with status and beginning', async () => {
    const html = { status: 502, body: `<!DOCTYPE html>${'x'.repeat(900)}` };
    fake.behave([html, html, chatReply('ok')]);
    expect((await (await open()).complete(MESSAGES, call())).content).toBe('ok');
    fake.behave([html]);
    const error = await failure((await open()).complete(MESSAGES, call()));
    expect(error.message).toMatch(/502.*text\/html.*<!DOCTYPE html>/);
    expect(error.message).not.toContain('Unexpected token');
    expect(error.message.length).toBeLessThan(400);
  });

  it('NT-05: HTML with a 200 is a protocol fault, not sent again', async () => {
    fake.behave([{ body: '<html>login</html>' }]);
    const error = await failure((await open()).complete(MESSAGES, call()));
    expect(error).toMatchObject({ kind: 'protocol', code: 'PROTOCOL' });
    expect(fake.seen).toHaveLength(1);
  });

  it('a broken connection is tried again', async () => {
    fake.behave([{ reset: true }, chatReply('ok')]);
    expect((await (await open()).complete(MESSAGES, call())).content).toBe('ok');
  });

  it('nobody listening: a connection fault that names the address', async () => {
    // The port "discard": nobody serves it, and no system hands it out.
    const model = await open({ baseUrl: 'http://127.0.0.1:9' }, { retry: { maxRetries: 0 } });
    const error = await failure(model.complete(MESSAGES, call()));
    expect(error).toMatchObject({ kind: 'connection', isSystemic: true });
    expect(error.message).toContain('ECONNREFUSED');
  });

  it('a slow answer ends by the timeout, which is named with its value', async () => {
    fake.behave([{ ...chatReply('late'), delayMs: 30_000 }]);
    const model = await open({ timeoutMs: 1_000 }, { retry: { maxRetries: 0 } });
    const error = await failure(model.complete(MESSAGES, call()));
    expect(error).toMatchObject({ kind: 'timeout', code: 'TIMEOUT' });
    expect(error.message).toMatch(/timeout of 1 s/);
  });
});

describe('cancellation and concurrency', () => {
  it('a cancelled call ends at once, with the reason', async () => {
    fake.behave([{ ...chatReply('late'), delayMs: 5000 }]);
    const cancellation = new Cancellation();
    const running = (await open()).complete(MESSAGES, call({ cancellation }));
    const reason = new OsmosisError('CANCELLED', 'enough');
    setTimeout(() => cancellation.cancel(reason), 50);
    await expect(running).rejects.toBe(reason);
  });

  it('only so many requests at once go to a provider; who waits can be cancelled', async () => {
    fake.behave(() => ({ ...chatReply('ok'), delayMs: 60 }));
    const model = await open({}, { concurrency: 2 });
    const cancellation = new Cancellation();
    const running = Array.from({ length: 6 }, () => model.complete(MESSAGES, call()));
    const waiting = model.complete(MESSAGES, call({ cancellation }));
    cancellation.cancel(new OsmosisError('CANCELLED', 'enough'));
    await expect(waiting).rejects.toThrow('enough');
    await Promise.all(running);
    expect(fake.peak).toBe(2);
    expect(fake.seen).toHaveLength(6);
  });

  it('a call that fails makes room for the next one', async () => {
    fake.behave([errorReply(401, 'bad key'), chatReply('ok')]);
    const model = await open({}, { concurrency: 1 });
    await expect(model.complete(MESSAGES, call())).rejects.toThrow('bad key');
    expect((await model.complete(MESSAGES, call())).message).toMatchObject({ content: 'ok' });
  });
});

describe('faults', () => {
  it.each([
    ['authentication', errorReply(401, 'bad key')],
    ['authentication', { status: 400, body: [{ error: { code: 400, message: 'API key not valid.', status: 'X' } }] }],
    ['permission', errorReply(403, 'not yours')],
    ['quota', errorReply(429, 'You exceeded your current quota', { code: 'insufficient_quota' })],
    ['quota', errorReply(402, 'pay')],
    ['not_found', errorReply(404, 'no such model')],
    ['not_found', errorReply(400, 'foo/bar is not a valid model ID')],
    ['not_found', errorReply(400, 'The model `x` does not exist', { param: 'model', code: 'model_not_found' })],
    ['context_length', errorReply(400, 'too long', { param: 'messages', code: 'context_length_exceeded' })],
    ['context_length', errorReply(400, 'prompt is too long: 300000 tokens > 200000 maximum')],
    ['context_length', { status: 413, body: '<html>too large</html>' }],
    ['content_filter', errorReply(400, 'blocked by content management policy', { code: 'content_filter' })],
    ['parameter', errorReply(422, 'odd value')],
    ['protocol', { body: { choices: [] } }],
    ['refused', { status: 307, headers: { location: 'http://elsewhere/' } }],
  ])('%s: told apart, not sent again', async (kind, reply) => {
    fake.behave([reply]);
    const error = await failure((await open()).complete(MESSAGES, call()));
    expect(error.kind).toBe(kind);
    expect(error).toMatchObject({ provider: 'openai', model: 'some-model' });
    expect(error instanceof ModelNotFoundError).toBe(kind === 'not_found');
    expect(fake.seen).toHaveLength(1);
  });

  it('a redirect is named and not followed (NT-10)', async () => {
    fake.behave([{ status: 301, headers: { location: 'https://elsewhere/v1' } }]);
    expect((await failure((await open()).complete(MESSAGES, call()))).message).toContain('https://elsewhere/v1');
  });

  it('an error inside a 200 counts as what it says', async () => {
    fake.behave([{ body: { error: { code: 402, message: 'no credits', metadata: { raw: 'upstream says no' } } } }]);
    const error = await failure((await open()).complete(MESSAGES, call()));
    expect(error.kind).toBe('quota');
    expect(error.message).toContain('upstream says no');
  });

  it.each([
    [{ promptFeedback: { blockReason: 'SAFETY' } }],
    [{ candidates: [{ finishReason: 'SAFETY' }] }],
    [{ choices: [{ finish_reason: 'SAFETY', message: { role: 'assistant', content: '' } }] }],
  ])('RJ-07: a blocked answer is no empty success: %j', async (body) => {
    fake.behave([{ body }]);
    const error = await failure((await open()).complete(MESSAGES, call()));
    expect(error.kind).toBe('content_filter');
    expect(error.message).toContain('SAFETY');
    expect(fake.seen).toHaveLength(1);
  });

  it('AU-05: the key is nowhere in an error, though the provider repeats it', async () => {
    for (const reply of [errorReply(401, `Incorrect API key provided: ${KEY}`), { reset: true }, { body: KEY }]) {
      fake.behave([reply]);
      const error = await failure((await open({}, { retry: { maxRetries: 0 } })).complete(MESSAGES, call()));
      expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(KEY);
      expect(JSON.stringify(error)).not.toContain(KEY);
    }
  });
});

describe('proxies', () => {
  /** Notes what it is asked to reach, and refuses it. */
  async function proxy(): Promise<{ url: string; asked: string[] }> {
    const asked: string[] = [];
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', (data) => {
        asked.push(data.toString().split('\r\n', 1)[0] ?? '');
        socket.end('HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => new Promise((resolve) => server.close(() => resolve())));
    return { url: `http://127.0.0.1:${(server.address() as { port: number }).port}`, asked };
  }

  it('NT-16: a hosted model is reached through the proxy; an empty variable masks nothing', async () => {
    const { url, asked } = await proxy();
    const env = { HTTPS_PROXY: url, https_proxy: '', NO_PROXY: 'other.example' };
    const model = await open({ baseUrl: 'https://judge.example/v1' }, { env, retry: { maxRetries: 0 } });
    expect((await failure(model.complete(MESSAGES, call()))).kind).toBe('connection');
    expect(asked).toEqual(['CONNECT judge.example:443 HTTP/1.1']);
  });

  it('NT-16: this machine is never reached through the proxy', async () => {
    const { url, asked } = await proxy();
    await (await open({}, { env: { http_proxy: url, HTTPS_PROXY: url } })).complete(MESSAGES, call());
    expect(asked).toEqual([]);
    expect(fake.seen).toHaveLength(1);
  });

  it('NT-16: a proxy that is no URL is told, without its password', async () => {
    const env = { HTTPS_PROXY: 'socks5://me:SECRET-7f3a@h' };
    await expect(open({}, { env })).rejects.toThrow(/HTTPS_PROXY is no http\(s\) URL/);
    await expect(open({}, { env })).rejects.not.toThrow(/SECRET/);
  });
});
