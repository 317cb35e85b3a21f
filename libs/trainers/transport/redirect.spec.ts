import { PeerStatusError } from '#domain';
import { FakeClock } from '../../../test/support/fake.clock.js';
import { ScriptedPeer, type Script } from './fixtures/scripted-peer.js';
import { HttpTransport } from './http-transport.js';
import type { HttpResponse } from './http-message.js';

describe('NT-10: redirects', () => {
  const transport = new HttpTransport({ clock: new FakeClock() });
  let peer: ScriptedPeer;

  afterEach(() => peer.close());
  afterAll(() => transport.onApplicationShutdown());

  async function post(script: Script): Promise<HttpResponse> {
    peer = await ScriptedPeer.start(script);
    return transport.post({
      url: `${peer.origin}/from`,
      headers: { authorization: 'Bearer k' },
      body: '{"a":1}',
      timeoutMs: 5_000,
      timeoutName: 'LIMIT',
    });
  }

  const redirect = (status: number, location: string): Script => {
    return ({ path }) => (path === '/from' ? { status, headers: { location } } : { body: 'arrived' });
  };

  it.each([307, 308])('%i within the origin is followed with method, body and headers', async (status) => {
    expect((await post(redirect(status, '/to'))).body.toString()).toBe('arrived');
    expect(peer.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(['POST /from', 'POST /to']);
    expect(peer.requests[1]?.body.toString()).toBe('{"a":1}');
    expect(peer.requests[1]?.headers.authorization).toBe('Bearer k');
  });

  it.each([301, 302, 303])('%i is an error naming the Location, never a GET', async (status) => {
    const call = post(redirect(status, '/to?token=hidden'));
    await expect(call).rejects.toThrow(PeerStatusError);
    await expect(call).rejects.toMatchObject({ status, retryable: false });
    await expect(call).rejects.toThrow(`answered ${status} with Location '${peer.origin}/to'`);
    expect(peer.requests.map(({ method }) => method)).toEqual(['POST']);
  });

  it('another origin gets neither the request nor the key', async () => {
    const other = await ScriptedPeer.start([{}]);
    const call = post(redirect(307, `${other.origin}/to`));
    await expect(call).rejects.toThrow(`Location '${other.origin}/to', which is not followed: it is another origin`);
    expect(other.requests).toEqual([]);
    await other.close();
  });

  it('gives up after five', async () => {
    const call = post(({ path }) => ({ status: 307, headers: { location: `${path}x` } }));
    await expect(call).rejects.toThrow('5 redirects were followed already');
    expect(peer.requests).toHaveLength(6);
  });

  it('names a Location that is no URL, and hands on a redirect without one', async () => {
    await expect(post(redirect(308, 'http://['))).rejects.toThrow("Location 'http://['");
    await peer.close();
    expect((await post(() => ({ status: 307 }))).status).toBe(307);
  });
});
