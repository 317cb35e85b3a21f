import { inspect } from 'node:util';
import { Logger } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import {
  Cancellation,
  OsmosisError,
  Secret,
  type ChatCompletion,
  type ChatMessage,
  type ChatParams,
  type RolloutOutcome,
  type RolloutRequest,
} from '#domain';
import { RawPeer, ScriptedPeer, type Answer, type Script } from '../transport/fixtures/scripted-peer.js';
import { HttpTransport, TransportModule } from '../transport/index.js';
import { OsmosisV02Trainer } from './osmosis-v02.trainer.js';
import { OSMOSIS_V02_CLIENT_SETTINGS, resolveClientSettings, type OsmosisV02ClientSettings } from './settings.js';

const KEY = 'SECRET-7f3a';
const USER = { role: 'user', content: 'question' };
const FAST = { retryBaseDelayMs: 1, retryMaxDelayMs: 2 };

const good = (fields: object = {}): Answer => ({
  body: { choices: [{ message: { role: 'assistant', content: 'fine' }, finish_reason: 'stop' }], ...fields },
});

describe('OsmosisV02Trainer', () => {
  const closers: (() => unknown)[] = [];
  let warnings: jest.SpyInstance;

  beforeEach(() => {
    warnings = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
  });

  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
    warnings.mockRestore();
  });

  async function peer(script: Script | readonly Answer[]): Promise<ScriptedPeer> {
    const started = await ScriptedPeer.start(script);
    closers.push(() => started.close());
    return started;
  }

  function trainer(settings: Partial<OsmosisV02ClientSettings> = {}): OsmosisV02Trainer {
    const transport = new HttpTransport();
    closers.push(() => transport.onApplicationShutdown());
    return new OsmosisV02Trainer(transport, resolveClientSettings({ ...FAST, ...settings }));
  }

  function rollout(url: string, fields: Partial<RolloutRequest> = {}): RolloutRequest {
    return {
      rolloutId: 'rollout-1',
      agent: 'a',
      trainer: { dialect: 'osmosis-v0.2', url, apiKey: Secret.from(KEY) },
      messages: [],
      completionParams: {},
      toolServerUrl: null,
      maxTurns: 10,
      maxTokensTotal: 8192,
      metadata: {},
      idempotencyKey: null,
      ...fields,
    };
  }

  interface Chat {
    (messages?: readonly ChatMessage[], params?: ChatParams, cancellation?: Cancellation): Promise<ChatCompletion>;
  }

  function chat(url: string, settings?: Partial<OsmosisV02ClientSettings>, fields?: Partial<RolloutRequest>): Chat {
    const model = trainer(settings).openChat(rollout(url, fields));
    return (messages = [USER], params = {}, cancellation = new Cancellation()) =>
      model.complete(messages, { params, tools: [], cancellation });
  }

  const failure = (call: Promise<unknown>): Promise<OsmosisError> =>
    call.then(
      () => Promise.reject(new Error('the call was expected to fail')),
      (error: OsmosisError) => error,
    );

  describe('a chat call', () => {
    it('posts the body of spec 1.4 to /v1/chat/completions, with bearer and content type', async () => {
      const server = await peer([good({ usage: { prompt_tokens: 20, completion_tokens: 10 } })]);
      const completion = await chat(`${server.origin}/`)([USER], { temperature: 0.5, stop: 'END', seed: 123 });
      expect(completion).toMatchObject({ content: 'fine', usage: { promptTokens: 20, completionTokens: 10 } });
      const [received] = server.requests;
      expect(received).toMatchObject({
        method: 'POST',
        path: '/v1/chat/completions',
        headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      });
      expect(received?.body.toString()).toBe(
        '{"model":"default","messages":[{"role":"user","content":"question"}],"rollout_id":"rollout-1",' +
          '"temperature":0.5,"top_p":1,"max_tokens":512,"stop":["END"],"logprobs":true,"stream":false,"seed":123}',
      );
    });

    it('NT-07, NT-08: joins the address without doubling', async () => {
      const server = await peer([good()]);
      await chat(`${server.origin}/v1//`)();
      await chat(`${server.origin}/api/`)();
      expect(server.requests.map(({ path }) => path)).toEqual(['/v1/chat/completions', '/api/v1/chat/completions']);
    });

    it('A-APPEND: sends back what the trainer sent, turn after turn', async () => {
      const odd = { role: 'assistant', content: null, tool_calls: null, x: { '2': 'b', a: 'é😀' } };
      const server = await peer([{ body: { choices: [{ message: odd }] } }, good()]);
      const call = chat(server.origin);
      const { message } = await call([USER]);
      await call([USER, message, { role: 'user', content: 'more' }]);
      expect(server.requests[1]?.body.toString()).toContain(`[${JSON.stringify(USER)},${JSON.stringify(odd)},{`);
    });

    it('keeps calls apart that run side by side', async () => {
      const server = await peer((received, _, response) => {
        const { messages } = JSON.parse(received.body.toString()) as { messages: ChatMessage[] };
        const message = { role: 'assistant', content: messages.map(({ content }) => content).join() };
        setTimeout(() => response.end(JSON.stringify({ choices: [{ message }] })), 30);
        return null;
      });
      const call = chat(server.origin);
      const of = (content: string): ChatMessage[] => [USER, { role: 'user', content }];
      const completions = await Promise.all([call(of('a')), call(of('b')), call(of('c'))]);
      expect(completions.map(({ content }) => content)).toEqual(['question,a', 'question,b', 'question,c']);
      const keys = server.requests.map(({ headers }) => headers['idempotency-key']);
      expect(new Set(keys)).toEqual(new Set(['rollout-1:1', 'rollout-1:2', 'rollout-1:3']));
    });

    it('asks nothing for parameters or messages that cannot be sent', async () => {
      const server = await peer([good()]);
      const call = chat(server.origin);
      expect(await failure(call([USER], { max_tokens: 1.5 }))).toMatchObject({ code: 'REQUEST_INVALID' });
      expect(await failure(call([{ role: 'user', content: 1n }]))).toMatchObject({ code: 'REQUEST_INVALID' });
      expect(server.requests).toEqual([]);
      await call();
      expect(server.requests[0]?.headers['idempotency-key']).toBe('rollout-1:1');
    });

    it('warns once for each parameter that the server sets itself', async () => {
      const server = await peer([good()]);
      const instance = trainer();
      for (let count = 0; count < 3; count++) {
        const call = { params: { stream: true, n: 2 }, tools: [], cancellation: new Cancellation() };
        await instance.openChat(rollout(server.origin)).complete([USER], call);
      }
      expect(warnings.mock.calls.map(([text]: [string]) => text.slice(0, 34))).toEqual([
        "Chat parameter 'stream' is ignored",
        "Chat parameter 'n' is ignored: the",
      ]);
    });

    it('says what is wrong with an address, when it is used and not before', async () => {
      expect(await failure(chat('http://a b')())).toMatchObject({ code: 'TRANSPORT', retryable: false });
    });
  });

  describe('retries (spec 3.3)', () => {
    it.each([
      [400, 1],
      [401, 1],
      [422, 1],
      [408, 3],
      [425, 3],
      [429, 3],
      [500, 3],
      [599, 3],
    ])('%i with two retries is asked %i times', async (status, times) => {
      const server = await peer([{ status, body: 'no' }]);
      expect(await failure(chat(server.origin, { maxRetries: 2 })())).toMatchObject({ status });
      expect(server.requests).toHaveLength(times);
    });

    it('repeats the same bytes under the same key, and counts on for the next call (spec 13.10)', async () => {
      const server = await peer([{ status: 500 }, { status: 503 }, good(), good()]);
      const call = chat(server.origin);
      await call();
      await call([USER, USER]);
      const [first, ...others] = server.requests;
      expect(others.slice(0, 2).every(({ body }) => first && body.equals(first.body))).toBe(true);
      expect(server.requests.map(({ headers }) => headers['idempotency-key'])).toEqual([
        'rollout-1:1',
        'rollout-1:1',
        'rollout-1:1',
        'rollout-1:2',
      ]);
    });

    it('any 2xx is a success (spec 13.7)', async () => {
      const server = await peer([{ ...good(), status: 201 }]);
      expect((await chat(server.origin)()).content).toBe('fine');
    });

    it('NT-05: survives two pages of a broken gateway; a lasting one is named with its status', async () => {
      const page = { status: 502, headers: { 'content-type': 'text/html' }, body: '<!DOCTYPE html><h1>Bad</h1>' };
      const server = await peer([page, page, good()]);
      expect((await chat(server.origin)()).content).toBe('fine');
      const lasting = await peer([page]);
      const { message } = await failure(chat(lasting.origin, { maxRetries: 1 })());
      expect(message).toContain('answered 502 (content-type text/html): <!DOCTYPE html><h1>Bad</h1>');
      expect(message).not.toContain('Unexpected token');
    });

    it('NT-03: waits as long as Retry-After says, and at least the base delay for garbage', async () => {
      const seconds = { status: 429, headers: { 'retry-after': '0.4' } };
      const garbage = { status: 429, headers: { 'retry-after': 'soon' } };
      const server = await peer([seconds, garbage, good()]);
      await chat(server.origin, { retryBaseDelayMs: 100, retryMaxDelayMs: 200 })();
      const [first = 0, second = 0, third = 0] = server.requests.map(({ at }) => at);
      expect(second - first).toBeGreaterThanOrEqual(395);
      expect(third - second).toBeGreaterThanOrEqual(95);
    });

    it('NT-03: honours a Retry-After that is a date', async () => {
      const date = new Date(Date.now() + 2_000).toUTCString();
      const server = await peer([{ status: 429, headers: { 'retry-after': date } }, good()]);
      await chat(server.origin)();
      const [first = 0, second = 0] = server.requests.map(({ at }) => at);
      // The date has whole seconds only.
      expect(second - first).toBeGreaterThanOrEqual(900);
    });

    it('RS-05, RS-06, TC-09: an answer that cannot be used is asked for again', async () => {
      const server = await peer([
        { body: { choices: [] } },
        { body: { error: { code: 429, message: 'slow down' } } },
        { body: '{"logprobs":[-Infinity]}' },
        good(),
      ]);
      expect((await chat(server.origin)()).content).toBe('fine');
      expect(server.requests).toHaveLength(4);
    });

    it("RS-06: an error that no retry mends ends the call with the provider's words", async () => {
      const server = await peer([{ body: { error: { code: 402, message: 'Insufficient credits' } } }]);
      expect((await failure(chat(server.origin)())).message).toContain('Insufficient credits');
      expect(server.requests).toHaveLength(1);
    });

    it('NT-17: a timeout is tried again, and finally says which limit it was', async () => {
      const server = await peer(() => null);
      const error = await failure(chat(server.origin, { timeoutMs: 200, maxRetries: 1 })());
      expect(error.code).toBe('TIMEOUT');
      expect(error.message).toMatch(/timeout.*0\.2 s \(limit OSMOSIS_ROLLOUT_CLIENT_TIMEOUT_SECONDS/);
      expect(server.requests).toHaveLength(2);
    });

    it('no retries: one request, and the connection error as it is', async () => {
      const closed = await ScriptedPeer.start([]);
      await closed.close();
      const error = await failure(chat(closed.origin, { maxRetries: 0 })());
      expect(error).toMatchObject({ code: 'TRANSPORT', details: { cause: 'ECONNREFUSED' } });
    });

    it('a cancellation ends the wait between attempts', async () => {
      const server = await peer([{ status: 500 }]);
      const cancellation = new Cancellation();
      const call = failure(
        chat(server.origin, { retryBaseDelayMs: 60_000, retryMaxDelayMs: 60_000 })([USER], {}, cancellation),
      );
      while (warnings.mock.calls.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      const reason = new OsmosisError('DEADLINE', 'time is up');
      cancellation.cancel(reason);
      expect(await call).toBe(reason);
      expect(server.requests).toHaveLength(1);
    });
  });

  describe('a delivery', () => {
    const attempt = { idempotencyKey: 'rollout-1', number: 1 };
    const outcome: RolloutOutcome = {
      rolloutId: 'rollout-1',
      status: 'ERROR',
      finalMessages: [USER],
      finishReason: 'error',
      errorMessage: 'broken',
      reward: null,
      rewards: [],
      metrics: {
        totalLatencyMs: 1,
        llmLatencyMs: 0,
        toolLatencyMs: 0,
        numLlmCalls: 0,
        numToolCalls: 0,
        promptTokens: 0,
        responseTokens: 0,
        maxContextTokens: 0,
      },
      failure: null,
    };

    function deliver(url: string, settings?: Partial<OsmosisV02ClientSettings>): Promise<void> {
      const instance = trainer(settings);
      const request = rollout(url);
      return instance.deliver(request, instance.renderCompletion(request, outcome), attempt);
    }

    it('posts the completion once to /v1/rollout/completed', async () => {
      const server = await peer([{}]);
      await deliver(`${server.origin}/v1/`);
      expect(server.requests).toHaveLength(1);
      expect(server.requests[0]).toMatchObject({
        path: '/v1/rollout/completed',
        headers: { authorization: `Bearer ${KEY}`, 'idempotency-key': 'rollout-1' },
      });
      expect(server.json(0)).toMatchObject({ rollout_id: 'rollout-1', status: 'ERROR', error_message: 'broken' });
    });

    it.each([200, 201, 202, 204])('is acknowledged by %i, whatever the body (spec 13.7)', async (status) => {
      const server = await peer([{ status, body: status === 204 ? '' : '<not json>' }]);
      await expect(deliver(server.origin)).resolves.toBeUndefined();
    });

    it.each([
      [301, false],
      [400, false],
      [401, false],
      [422, false],
      [408, true],
      [429, true],
      [500, true],
    ])(
      'fails by %i, retryable: %s, after one request: repeating is the engine’s business',
      async (status, retryable) => {
        const server = await peer([{ status, body: 'no' }]);
        expect(await failure(deliver(server.origin))).toMatchObject({ status, retryable });
        expect(server.requests).toHaveLength(1);
      },
    );

    it('NT-17: has a time limit of its own', async () => {
      const server = await peer(() => null);
      const { message } = await failure(deliver(server.origin, { deliveryTimeoutMs: 100 }));
      expect(message).toMatch(/timeout.*0\.1 s \(limit client\.deliveryTimeoutMs\)/);
    });
  });

  it('AU-05: the key is in no error and no log line, however deep one looks', async () => {
    const echoing: Answer[] = [
      { status: 403, body: `bad key ${KEY}` },
      { status: 500, body: `Authorization: Bearer ${KEY}` },
      { body: `not json ${KEY}` },
      { body: { error: { code: 500, message: KEY } } },
      { status: 301, headers: { location: `/${KEY}` } },
    ];
    const resetting = await RawPeer.start((socket) => socket.resetAndDestroy());
    closers.push(() => resetting.close());
    const urls = [resetting.origin];
    for (const answer of echoing) urls.push((await peer([answer])).origin);
    for (const url of urls) {
      const error = await failure(chat(url, { maxRetries: 1 })());
      expect(inspect(error, { depth: 9, showHidden: true }) + error.stack).not.toContain(KEY);
    }
    expect(inspect(warnings.mock.calls, { depth: 9 })).not.toContain(KEY);
    expect(warnings).toHaveBeenCalled();
  });

  it('is a provider like any other, with defaults when nothing is set', async () => {
    const app = await Test.createTestingModule({
      imports: [TransportModule.forRoot({})],
      providers: [
        OsmosisV02Trainer,
        { provide: OSMOSIS_V02_CLIENT_SETTINGS, useValue: resolveClientSettings({ timeoutMs: 100, maxRetries: 0 }) },
      ],
    }).compile();
    closers.push(() => app.close());
    const server = await peer(() => null);
    const model = app.get(OsmosisV02Trainer).openChat(rollout(server.origin));
    const call = model.complete([USER], { params: {}, tools: [], cancellation: new Cancellation() });
    await expect(call).rejects.toThrow('within 0.1 s');

    const bare = await Test.createTestingModule({
      imports: [TransportModule.forRoot({})],
      providers: [OsmosisV02Trainer],
    }).compile();
    closers.push(() => bare.close());
    expect(bare.get(OsmosisV02Trainer).dialect).toBe('osmosis-v0.2');
  });
});
