import { gzipSync } from 'node:zlib';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Cancellation, OsmosisError, systemClock } from '#domain';
import { FakeClock } from '../../test/support/fake.clock.js';
import { until } from '../../test/support/init.js';
import { DirectTransport } from './direct.transport.js';
import { openConnections, type HttpConnections } from './http.connections.js';
import { resolveModel, type ResolvedModel } from './model.resolver.js';
import { openTransport } from './model.transport.js';
import { OpenAiTransport } from './openai.transport.js';
import { ProviderRegistry } from './provider.registry.js';
import { chatReply, errorReply, FakeProvider } from './testing/fake-provider.js';

const KEY = 'SECRET-9c1b';
/** Longer than any of these tests. */
const NEVER_MS = 600_000;

let fake: FakeProvider;
let connections: HttpConnections;

beforeEach(async () => {
  fake = await FakeProvider.start();
  connections = openConnections({});
});

afterEach(async () => {
  await connections.close();
  await fake.stop();
});

/** The same address as a provider's service, and as a server of the user's. */
function resolved(kind: 'service' | 'own server', timeoutMs = NEVER_MS): ResolvedModel {
  const providers = new ProviderRegistry([{ name: 'fake', baseUrl: `${fake.url}/v1`, keyEnv: ['FAKE_KEY'] }]);
  return kind === 'service'
    ? resolveModel({ model: 'fake/m', timeoutMs }, providers, { FAKE_KEY: KEY })
    : resolveModel({ model: 'm', baseUrl: fake.url, apiKey: KEY, timeoutMs }, providers, {});
}

describe('which way a request takes', () => {
  it.each([
    ['service', OpenAiTransport],
    ['own server', DirectTransport],
  ] as const)('%s', (kind, type) => {
    expect(openTransport(resolved(kind), connections, systemClock)).toBeInstanceOf(type);
  });

  it('a local server without a key is no service', () => {
    const model = resolveModel({ model: 'ollama/llama3' }, new ProviderRegistry(), {});
    expect(openTransport(model, connections, systemClock)).toBeInstanceOf(DirectTransport);
  });
});

describe.each(['service', 'own server'] as const)('a request to a %s', (kind) => {
  const post = (cancellation = new Cancellation(), timeoutMs?: number): Promise<Record<string, unknown>> =>
    openTransport(resolved(kind, timeoutMs), connections, systemClock).post(
      '/chat/completions',
      { model: 'm', messages: [] },
      cancellation,
    );

  it('brings the body, the key and nothing that a client adds of its own', async () => {
    fake.behave([chatReply('hello')]);
    expect(await post()).toMatchObject({ id: 'chatcmpl-1' });
    const [seen] = fake.seen;
    expect(seen).toMatchObject({ method: 'POST', path: '/v1/chat/completions', body: { model: 'm', messages: [] } });
    expect(seen?.headers).toMatchObject({ authorization: `Bearer ${KEY}`, 'user-agent': 'nestjs-osmosis' });
    expect(Object.keys(seen?.headers ?? {}).filter((name) => /^(x-stainless|openai-)/.test(name))).toEqual([]);
  });

  it.each([
    ['OpenAI', errorReply(400, 'too hot'), /too hot/],
    ['Google, in a list', { status: 400, body: [{ error: { code: 400, message: 'in a list' } }] }, /in a list/],
    ['Mistral, flat', { status: 422, body: { object: 'error', message: 'flat one' } }, /flat one/],
    ['a proxy, HTML', { status: 502, body: '<html>bad gateway</html>' }, /bad gateway/],
  ])('tells an error as %s words it, once', async (_, reply, text) => {
    fake.behave([reply]);
    await expect(post()).rejects.toThrow(text);
    expect(fake.seen).toHaveLength(1);
  });

  it('sends nothing again by itself', async () => {
    fake.behave([errorReply(503, 'busy'), chatReply('ok')]);
    await expect(post()).rejects.toMatchObject({ kind: 'server', status: 503 });
    expect(fake.seen).toHaveLength(1);
  });

  it('follows no redirect with the key', async () => {
    fake.behave([{ status: 307, headers: { location: 'https://elsewhere/v1' } }]);
    await expect(post()).rejects.toThrow('https://elsewhere/v1');
    expect(fake.seen).toHaveLength(1);
  });

  it('ends by its time limit, and by a cancellation with its reason', async () => {
    fake.behave([{ ...chatReply('late'), delayMs: NEVER_MS }]);
    await expect(post(new Cancellation(), 1_000)).rejects.toMatchObject({ kind: 'timeout', code: 'TIMEOUT' });
    const cancellation = new Cancellation();
    const running = post(cancellation);
    const reason = new OsmosisError('CANCELLED', 'enough');
    setTimeout(() => cancellation.cancel(reason), 20);
    await expect(running).rejects.toBe(reason);
  });

  it('has no other time limit: after a process was stopped, any of two could be the first', async () => {
    fake.behave([{ ...chatReply('late'), delayMs: NEVER_MS }]);
    const clock = new FakeClock();
    const transport = openTransport(resolved(kind, 20), connections, clock);
    const running = transport.post('/chat/completions', { model: 'm', messages: [] }, new Cancellation());
    const outcome = expect(running).rejects.toMatchObject({ kind: 'timeout', code: 'TIMEOUT' });
    await until(() => fake.seen.length === 1);
    await new Promise((resolve) => setTimeout(resolve, 200));
    clock.advance(20);
    await outcome;
  });

  it('reads an answer that a proxy has compressed', async () => {
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      response.end(gzipSync(JSON.stringify(chatReply('packed').body)));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      expect(
        await openTransport(at(server, resolved(kind)), connections, systemClock).post('', {}, new Cancellation()),
      ).toMatchObject({
        choices: [{ message: { content: 'packed' } }],
      });
    } finally {
      server.close();
    }
  });
});

function at(server: Server, model: ResolvedModel): ResolvedModel {
  return { ...model, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
}
