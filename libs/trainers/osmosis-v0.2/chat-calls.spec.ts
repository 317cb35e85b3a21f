import { inspect } from 'node:util';
import { Logger } from '@nestjs/common';
import { Cancellation, OsmosisError, type ChatCompletion, type ChatMessage, type ChatParams } from '#domain';
import { FakeClock } from '../../../test/support/fake.clock.js';
import { until } from '../../../test/support/init.js';
import type { Answer } from '../transport/fixtures/scripted-peer.js';
import { KEY, rolloutFor } from '../transport/fixtures/rollout-request.js';
import { failureOf, transportHarness } from '../transport/fixtures/transport-harness.js';
import type { HttpTransport } from '../transport/index.js';
import { OsmosisV02Trainer } from './osmosis-v02.trainer.js';
import { resolveClientSettings, type TrainerClientSettings } from '../client/client.settings.js';

const USER = { role: 'user', content: 'question' };
const FAST = { retryBaseDelayMs: 1, retryMaxDelayMs: 2 };

const good = (fields: object = {}): Answer => ({
  body: { choices: [{ message: { role: 'assistant', content: 'fine' }, finish_reason: 'stop' }], ...fields },
});

describe('TrainerChatClient', () => {
  const { transport, peer, rawPeer } = transportHarness();
  let warnings: jest.SpyInstance;

  beforeEach(() => {
    warnings = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
  });

  afterEach(() => warnings.mockRestore());

  function trainer(settings: Partial<TrainerClientSettings> = {}, through = transport()): OsmosisV02Trainer {
    return new OsmosisV02Trainer(through, resolveClientSettings({ ...FAST, ...settings }));
  }

  interface Chat {
    (messages?: readonly ChatMessage[], params?: ChatParams, cancellation?: Cancellation): Promise<ChatCompletion>;
  }

  function chat(url: string, settings?: Partial<TrainerClientSettings>, through?: HttpTransport): Chat {
    const model = trainer(settings, through).openChat(rolloutFor(url));
    return (messages = [USER], params = {}, cancellation = new Cancellation()) =>
      model.complete(messages, { params, tools: [], cancellation });
  }

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
      expect(await failureOf<OsmosisError>(call([USER], { max_tokens: 1.5 }))).toMatchObject({
        code: 'REQUEST_INVALID',
      });
      expect(await failureOf<OsmosisError>(call([{ role: 'user', content: 1n }]))).toMatchObject({
        code: 'REQUEST_INVALID',
      });
      expect(server.requests).toEqual([]);
      await call();
      expect(server.requests[0]?.headers['idempotency-key']).toBe('rollout-1:1');
    });

    it('warns once for each parameter that the server sets itself', async () => {
      const server = await peer([good()]);
      const instance = trainer();
      for (let count = 0; count < 3; count++) {
        const call = { params: { stream: true, n: 2 }, tools: [], cancellation: new Cancellation() };
        await instance.openChat(rolloutFor(server.origin)).complete([USER], call);
      }
      expect(warnings.mock.calls.map(([text]: [string]) => text.slice(0, 34))).toEqual([
        "Chat parameter 'stream' is ignored",
        "Chat parameter 'n' is ignored: the",
      ]);
    });

    it('says what is wrong with an address, when it is used and not before', async () => {
      expect(await failureOf<OsmosisError>(chat('http://a b')())).toMatchObject({
        code: 'TRANSPORT',
        retryable: false,
      });
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
      expect(await failureOf<OsmosisError>(chat(server.origin, { maxRetries: 2 })())).toMatchObject({ status });
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
      const { message } = await failureOf<OsmosisError>(chat(lasting.origin, { maxRetries: 1 })());
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
      const startedAt = Date.now() - performance.now();
      const date = new Date(Date.now() + 2_000).toUTCString();
      const server = await peer([{ status: 429, headers: { 'retry-after': date } }, good()]);
      await chat(server.origin)();
      const [, second] = server.requests;
      expect(startedAt + second!.at).toBeGreaterThanOrEqual(Date.parse(date) - 5);
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
      expect((await failureOf<OsmosisError>(chat(server.origin)())).message).toContain('Insufficient credits');
      expect(server.requests).toHaveLength(1);
    });

    it('NT-17: a timeout is tried again, and finally says which limit it was', async () => {
      const clock = new FakeClock();
      const server = await peer(() => null);
      const call = chat(server.origin, { timeoutMs: 1_000, maxRetries: 1 }, transport({ clock }));
      const failure = failureOf<OsmosisError>(call());
      for (const attempts of [1, 2]) {
        await until(() => server.requests.length === attempts);
        clock.advance(1_000);
      }
      const error = await failure;
      expect(error.code).toBe('TIMEOUT');
      expect(error.message).toMatch(/timeout.*1 s \(limit OSMOSIS_ROLLOUT_CLIENT_TIMEOUT_SECONDS/);
      expect(server.requests).toHaveLength(2);
    });

    it('no retries: one request, and the connection error as it is', async () => {
      // The port "discard": nobody serves it, and no system hands it out.
      const error = await failureOf<OsmosisError>(chat('http://127.0.0.1:9', { maxRetries: 0 })());
      expect(error).toMatchObject({ code: 'TRANSPORT', details: { cause: 'ECONNREFUSED' } });
    });

    it('a cancellation ends the wait between attempts', async () => {
      const server = await peer([{ status: 500 }]);
      const cancellation = new Cancellation();
      const call = failureOf<OsmosisError>(
        chat(server.origin, { retryBaseDelayMs: 60_000, retryMaxDelayMs: 60_000 })([USER], {}, cancellation),
      );
      while (warnings.mock.calls.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      const reason = new OsmosisError('DEADLINE', 'time is up');
      cancellation.cancel(reason);
      expect(await call).toBe(reason);
      expect(server.requests).toHaveLength(1);
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
    const resetting = await rawPeer((socket) => socket.resetAndDestroy());
    const urls = [resetting.origin];
    for (const answer of echoing) urls.push((await peer([answer])).origin);
    for (const url of urls) {
      const error = await failureOf<OsmosisError>(chat(url, { maxRetries: 1 })());
      expect(inspect(error, { depth: 9, showHidden: true }) + error.stack).not.toContain(KEY);
    }
    expect(inspect(warnings.mock.calls, { depth: 9 })).not.toContain(KEY);
    expect(warnings).toHaveBeenCalled();
  });
});
