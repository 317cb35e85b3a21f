import { once } from 'node:events';
import { inspect, promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { Test } from '@nestjs/testing';
import { Cancellation, OsmosisError, PeerTimeoutError, ProtocolError, Secret } from '#domain';
import { FakeClock } from '../../../test/support/fake.clock.js';
import { until } from '../../../test/support/init.js';
import { failureOf, postTo, transportHarness } from './fixtures/transport-harness.js';
import { headerOf } from './http-message.js';
import { HttpTransport } from './http-transport.js';
import { TransportModule } from './transport.module.js';

const pause = promisify(setTimeout);

describe('HttpTransport', () => {
  const { transport, peer, rawPeer } = transportHarness();

  describe('an exchange', () => {
    it('posts the bytes as they are and hands back status, headers and body', async () => {
      const server = await peer([{ status: 418, headers: { 'x-kind': 'teapot' }, body: 'short and stout' }]);
      const body = Buffer.from('{"text":"ünï"}');
      const response = await transport().post(postTo(`${server.origin}/a/b?c=d`, { body, headers: { 'x-y': 'z' } }));
      expect(response.status).toBe(418);
      expect(headerOf(response, 'x-kind')).toBe('teapot');
      expect(response.body.toString()).toBe('short and stout');
      expect(server.requests).toEqual([expect.objectContaining({ method: 'POST', path: '/a/b?c=d', body })]);
      expect(server.requests[0]?.headers).toMatchObject({ 'x-y': 'z', 'content-length': String(body.length) });
    });

    it('puts a large answer together', async () => {
      const body = Buffer.alloc(3_000_000, 'abcdefg');
      const server = await peer([{ body }]);
      expect((await transport().post(postTo(server.origin))).body.equals(body)).toBe(true);
    });

    it('undoes a compression nobody asked for', async () => {
      const headers = { 'content-encoding': 'gzip' };
      const server = await peer([
        { body: gzipSync('plain'), headers },
        { body: 'no gzip', headers },
        {
          body: 'x',
          headers: { 'content-encoding': 'zstd' },
        },
      ]);
      const client = transport();
      expect((await client.post(postTo(server.origin))).body.toString()).toBe('plain');
      expect(await failureOf(client.post(postTo(server.origin)))).toMatchObject({ code: 'PROTOCOL' });
      expect((await failureOf(client.post(postTo(server.origin)))).message).toContain("content-encoding 'zstd'");
    });

    it('refuses an answer above the limit, and does not ask for it again', async () => {
      const server = await peer([{ body: 'x'.repeat(2_000) }]);
      const error = await failureOf(transport({ maxResponseBytes: 1_000 }).post(postTo(server.origin)));
      expect(error).toBeInstanceOf(ProtocolError);
      expect(error).toMatchObject({
        retryable: false,
        message: expect.stringContaining('1000 bytes (limit maxResponseBytes)'),
      });
    });
  });

  describe('NT-17: the deadline', () => {
    it('ends a call that gets no answer, naming limit and value', async () => {
      const server = await peer(() => null);
      const error = await failureOf(
        transport().post(postTo(server.origin, { timeoutMs: 250, timeoutName: 'THE_LIMIT' })),
      );
      expect(error).toBeInstanceOf(PeerTimeoutError);
      expect(error.message).toMatch(/timeout, no complete answer within 0\.25 s \(limit THE_LIMIT\)/);
    });

    it('ends an answer that trickles', async () => {
      const server = await peer((_, __, response) => {
        const drip = setInterval(() => response.write('x'), 20);
        response.on('close', () => clearInterval(drip));
        return null;
      });
      expect(await failureOf(transport().post(postTo(server.origin, { timeoutMs: 200 })))).toBeInstanceOf(
        PeerTimeoutError,
      );
    });

    it('covers the connecting, and leaves nothing behind', async () => {
      // The peer takes the socket, and says nothing to the handshake.
      const server = await rawPeer(() => {});
      const client = transport();
      const url = server.origin.replace('http:', 'https:');
      const error = await failureOf(client.post(postTo(url, { timeoutMs: 100 })));
      expect(error).toMatchObject({ code: 'TIMEOUT', message: expect.stringContaining('within 0.1 s') });
      expect(client.stats).toEqual({ idle: 0, busy: 0, origins: 0 });
    });

    it('has a shorter one for connecting, TLS included', async () => {
      const server = await rawPeer(() => {});
      const url = server.origin.replace('http:', 'https:');
      const error = await failureOf(transport({ connectTimeoutMs: 100 }).post(postTo(url, { timeoutMs: 15_000 })));
      expect(error).toBeInstanceOf(PeerTimeoutError);
      expect(error.message).toContain('timeout, no connection within 0.1 s (limit connectTimeoutMs)');
    });

    it('leaves the connection out of use', async () => {
      const clock = new FakeClock();
      const server = await peer((_, index) => (index === 0 ? null : {}));
      const client = transport({ clock });
      const call = failureOf(client.post(postTo(server.origin, { timeoutMs: 100 })));
      await until(() => server.requests.length === 1);
      clock.advance(100);
      expect(await call).toBeInstanceOf(PeerTimeoutError);
      await client.post(postTo(server.origin));
      expect(server.connections).toBe(2);
    });
  });

  describe('cancelling', () => {
    it('closes the connection at once and rejects with the reason', async () => {
      const closed: Promise<unknown>[] = [];
      const server = await peer((_, __, response) => {
        closed.push(once(response, 'close'));
        return null;
      });
      const cancellation = new Cancellation();
      const client = transport();
      const call = failureOf(client.post(postTo(server.origin, { cancellation })));
      while (closed.length === 0) await pause(5);
      const reason = new OsmosisError('CANCELLED', 'enough');
      cancellation.cancel(reason);
      expect(await call).toBe(reason);
      await closed[0];
      expect(client.stats.busy).toBe(0);
    });

    it('works before the connection is made, and before the call', async () => {
      const server = await peer();
      const cancellation = new Cancellation();
      const client = transport();
      const reason = new OsmosisError('CANCELLED', 'enough');
      const call = failureOf(client.post(postTo(server.origin, { cancellation })));
      cancellation.cancel(reason);
      expect(await call).toBe(reason);
      expect(await failureOf(client.post(postTo(server.origin, { cancellation })))).toBe(reason);
      expect(server.requests).toHaveLength(0);
    });

    it('leaves other calls alone', async () => {
      const server = await peer((received, _, response) => {
        if (received.path === '/slow') setTimeout(() => response.end('done'), 100);
        return null;
      });
      const client = transport();
      const cancellation = new Cancellation();
      const slow = client.post(postTo(`${server.origin}/slow`));
      const hung = failureOf(client.post(postTo(`${server.origin}/hung`, { cancellation })));
      cancellation.cancel(new OsmosisError('CANCELLED', 'enough'));
      await hung;
      expect((await slow).body.toString()).toBe('done');
    });
  });

  it('AU-05: no error of a broken call shows the key, however deep one looks', async () => {
    const key = 'SECRET-7f3a';
    const echo = await rawPeer((socket, _, bytes) => socket.end(`HTTP/9.9 ${bytes.toString()}`));
    const reset = await rawPeer((socket) => socket.resetAndDestroy());
    const redirecting = await peer([{ status: 307, headers: { location: `http://elsewhere.example/${key}` } }]);
    const extra = { headers: { authorization: `Bearer ${key}` }, secret: Secret.from(key) };
    for (const server of [echo, reset, redirecting]) {
      const error = await failureOf(transport().post(postTo(server.origin, extra)));
      expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(key);
    }
  });

  describe('in an application', () => {
    it('is one instance for all, configured once, and closes with the application', async () => {
      const server = await peer(() => null);
      const app = await Test.createTestingModule({
        imports: [TransportModule.forRoot({ maxOrigins: 7 })],
      }).compile();
      await app.init();
      const client = app.get(HttpTransport);
      const call = failureOf(client.post(postTo(server.origin)));
      while (server.requests.length === 0) await pause(5);
      await app.close();
      expect(await call).toMatchObject({ code: 'TRANSPORT', message: expect.stringContaining('shutting down') });
      expect(await failureOf(client.post(postTo(server.origin)))).toMatchObject({ code: 'TRANSPORT' });
      expect(client.stats).toEqual({ idle: 0, busy: 0, origins: 0 });
    });

    it('refuses options that make no sense', () => {
      expect(() => new HttpTransport({ connectTimeoutMs: 0 })).toThrow(
        "The transport's connectTimeoutMs must be a positive integer, not 0.",
      );
    });
  });
});
