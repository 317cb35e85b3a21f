import { execFile } from 'node:child_process';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { inspect, promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { Test } from '@nestjs/testing';
import { Cancellation, OsmosisError, PeerTimeoutError, ProtocolError, Secret, TransportError } from '#domain';
import { CERTIFICATE_FILE, RawPeer, ScriptedPeer, type PeerOptions, type Script } from './fixtures/scripted-peer.js';
import { HttpTransport } from './http-transport.js';
import type { PostRequest } from './http-message.js';
import { TransportModule } from './transport.module.js';
import type { HttpTransportOptions } from './transport.options.js';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const pause = promisify(setTimeout);

describe('HttpTransport', () => {
  const closers: (() => void | Promise<void>)[] = [];

  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });

  function transport(options?: HttpTransportOptions): HttpTransport {
    const created = new HttpTransport(options);
    closers.push(() => created.onApplicationShutdown());
    return created;
  }

  async function peer(script: Script | object[] = [{}], options?: PeerOptions): Promise<ScriptedPeer> {
    const started = await ScriptedPeer.start(script, options);
    closers.push(() => started.close());
    return started;
  }

  async function rawPeer(onRequest: Parameters<typeof RawPeer.start>[0]): Promise<RawPeer> {
    const started = await RawPeer.start(onRequest);
    closers.push(() => started.close());
    return started;
  }

  function request(url: string, extra: Partial<PostRequest> = {}): PostRequest {
    return { url, headers: {}, body: '{}', timeoutMs: 5_000, timeoutName: 'LIMIT', ...extra };
  }

  const failure = (call: Promise<unknown>): Promise<Error> =>
    call.then(
      () => Promise.reject(new Error('the call was expected to fail')),
      (error: Error) => error,
    );

  describe('an exchange', () => {
    it('posts the bytes as they are and hands back status, headers and body', async () => {
      const server = await peer([{ status: 418, headers: { 'x-kind': 'teapot' }, body: 'short and stout' }]);
      const body = Buffer.from('{"text":"ünï"}');
      const response = await transport().post(request(`${server.origin}/a/b?c=d`, { body, headers: { 'x-y': 'z' } }));
      expect(response).toMatchObject({ status: 418, headers: { 'x-kind': 'teapot' } });
      expect(response.body.toString()).toBe('short and stout');
      expect(server.requests).toEqual([expect.objectContaining({ method: 'POST', path: '/a/b?c=d', body })]);
      expect(server.requests[0]?.headers).toMatchObject({ 'x-y': 'z', 'content-length': String(body.length) });
    });

    it('puts a large answer together', async () => {
      const body = Buffer.alloc(3_000_000, 'abcdefg');
      const server = await peer([{ body }]);
      expect((await transport().post(request(server.origin))).body.equals(body)).toBe(true);
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
      expect((await client.post(request(server.origin))).body.toString()).toBe('plain');
      expect(await failure(client.post(request(server.origin)))).toMatchObject({ code: 'PROTOCOL' });
      expect((await failure(client.post(request(server.origin)))).message).toContain("content-encoding 'zstd'");
    });

    it('refuses an answer above the limit, and does not ask for it again', async () => {
      const server = await peer([{ body: 'x'.repeat(2_000) }]);
      const error = await failure(transport({ maxResponseBytes: 1_000 }).post(request(server.origin)));
      expect(error).toBeInstanceOf(ProtocolError);
      expect(error).toMatchObject({
        retryable: false,
        message: expect.stringContaining('1000 bytes (limit maxResponseBytes)'),
      });
    });
  });

  describe('connections', () => {
    it('serves one call after another over one connection', async () => {
      const server = await peer();
      const client = transport();
      for (let call = 0; call < 5; call++) await client.post(request(server.origin));
      expect(server.connections).toBe(1);
      expect(client.stats).toEqual({ idle: 1, busy: 0, origins: 1 });
    });

    it('opens as many as calls are under way', async () => {
      const waiting: (() => void)[] = [];
      const server = await peer((_, index, response) => {
        waiting.push(() => response.end(String(index)));
        if (waiting.length === 50) waiting.forEach((end) => end());
        return null;
      });
      const client = transport();
      await Promise.all(Array.from({ length: 50 }, () => client.post(request(server.origin))));
      expect(server.connections).toBe(50);
      expect(client.stats).toEqual({ idle: 50, busy: 0, origins: 1 });
    });

    it('forgets an origin as soon as its last connection is closed', async () => {
      const server = await peer((_, __, response) => {
        response.setHeader('connection', 'close');
        return {};
      });
      const client = transport();
      await client.post(request(server.origin));
      await pause(50);
      expect(client.stats).toEqual({ idle: 0, busy: 0, origins: 0 });
    });

    it('closes idle connections when there are too many origins', async () => {
      const servers = await Promise.all([peer(), peer(), peer()]);
      const client = transport({ maxOrigins: 2 });
      for (const server of servers) await client.post(request(server.origin));
      expect(client.stats).toEqual({ idle: 2, busy: 0, origins: 2 });
    });
  });

  describe('NT-01: a peer that closes an idle connection', () => {
    it('costs no call when the server keeps connections for 50 ms and turns are 60 ms apart', async () => {
      const server = await peer([{}], { keepAliveTimeoutMs: 50 });
      const client = transport();
      for (let turn = 0; turn < 30; turn++) {
        await client.post(request(server.origin));
        await pause(60);
      }
      expect(server.requests).toHaveLength(30);
    });

    it('is replayed once, on a new connection, when it breaks before the answer begins', async () => {
      let served = 0;
      const server = await rawPeer((socket) => (served++ === 1 ? socket.resetAndDestroy() : socket.write(OK)));
      const client = transport();
      await client.post(request(server.origin));
      expect((await client.post(request(server.origin))).body.toString()).toBe('ok');
      expect([served, server.connections]).toEqual([3, 2]);
    });

    it('is not replayed on a connection that is new', async () => {
      const server = await rawPeer((socket) => socket.resetAndDestroy());
      const error = await failure(transport().post(request(server.origin)));
      expect(error).toBeInstanceOf(TransportError);
      expect(error).toMatchObject({ retryable: true });
      expect(server.connections).toBe(1);
    });

    it('is not replayed once the answer has begun, nor when the caller forbids it', async () => {
      let served = 0;
      const server = await rawPeer((socket) => {
        if (served++ % 2 === 0) socket.write(OK);
        else if (served === 2) socket.end('HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nhalf');
        else socket.resetAndDestroy();
      });
      const client = transport();
      await client.post(request(server.origin));
      await failure(client.post(request(server.origin)));
      await client.post(request(server.origin));
      await failure(client.post(request(server.origin, { replay: false })));
      expect(served).toBe(4);
    });
  });

  describe('NT-17: the deadline', () => {
    it('ends a call that gets no answer, naming limit and value', async () => {
      const server = await peer(() => null);
      const error = await failure(
        transport().post(request(server.origin, { timeoutMs: 250, timeoutName: 'THE_LIMIT' })),
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
      expect(await failure(transport().post(request(server.origin, { timeoutMs: 200 })))).toBeInstanceOf(
        PeerTimeoutError,
      );
    });

    it('covers the connecting, and leaves nothing behind', async () => {
      // TEST-NET-1: nobody answers there. Where the network refuses at once, that is an error of its own.
      const client = transport();
      const error = await failure(client.post(request('http://192.0.2.1/', { timeoutMs: 100 })));
      expect(['TIMEOUT', 'TRANSPORT']).toContain((error as OsmosisError).code);
      expect(client.stats).toEqual({ idle: 0, busy: 0, origins: 0 });
    });

    it('leaves the connection out of use', async () => {
      const server = await peer((_, index) => (index === 0 ? null : {}));
      const client = transport();
      await failure(client.post(request(server.origin, { timeoutMs: 100 })));
      await client.post(request(server.origin));
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
      const call = failure(client.post(request(server.origin, { cancellation })));
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
      const call = failure(client.post(request(server.origin, { cancellation })));
      cancellation.cancel(reason);
      expect(await call).toBe(reason);
      expect(await failure(client.post(request(server.origin, { cancellation })))).toBe(reason);
      expect(server.requests).toHaveLength(0);
    });

    it('leaves other calls alone', async () => {
      const server = await peer((received, _, response) => {
        if (received.path === '/slow') setTimeout(() => response.end('done'), 100);
        return null;
      });
      const client = transport();
      const cancellation = new Cancellation();
      const slow = client.post(request(`${server.origin}/slow`));
      const hung = failure(client.post(request(`${server.origin}/hung`, { cancellation })));
      cancellation.cancel(new OsmosisError('CANCELLED', 'enough'));
      await hung;
      expect((await slow).body.toString()).toBe('done');
    });
  });

  describe('addresses', () => {
    it('NT-11: [::1] works', async () => {
      const server = await peer([{ body: 'six' }], { host: '::1' });
      expect((await transport().post(request(server.origin))).body.toString()).toBe('six');
    });

    it.each(['127.0.0.1', '::1'])('NT-11: localhost works for a server on %s only', async (host) => {
      // Some hosts do not count ::1 among the addresses of localhost; then nobody can find such a server.
      const known = await lookup('localhost', { all: true });
      if (!known.some(({ address }) => address === host)) return;
      const server = await peer([{ body: 'here' }], { host });
      const url = `http://localhost:${server.port}/`;
      expect((await transport().post(request(url))).body.toString()).toBe('here');
    });

    it('says what is wrong when nothing listens', async () => {
      const server = await ScriptedPeer.start([{}]);
      await server.close();
      const error = await failure(transport().post(request(`${server.origin}/v1?key=hidden`)));
      expect(error).toMatchObject({ code: 'TRANSPORT', retryable: true, details: { cause: 'ECONNREFUSED' } });
      expect(error.message).toContain(`POST ${server.origin}/v1 failed: connect ECONNREFUSED`);
      expect(error.message).toContain('Nothing listens there');
      expect(error.message).not.toContain('hidden');
    });

    it.each(['not a url', 'ftp://host/', 'http://a b/', 'http://host:99999/', 'http://user:SECRET-7f3a@:80/'])(
      'refuses %s without another try',
      async (url) => {
        const error = await failure(transport().post(request(url)));
        expect(error).toMatchObject({ code: 'TRANSPORT', retryable: false });
        expect(error.message).not.toContain('SECRET-7f3a');
      },
    );

    it('reports an answer that is no HTTP', async () => {
      const server = await rawPeer((socket) => socket.write('SSH-2.0-OpenSSH_9.9\r\n'));
      expect(await failure(transport().post(request(server.origin)))).toMatchObject({
        code: 'PROTOCOL',
        retryable: true,
      });
    });
  });

  describe('NT-12: TLS', () => {
    const trusting = process.env['NODE_EXTRA_CA_CERTS'] === CERTIFICATE_FILE;

    it('names the code of a self-signed certificate and the cure', async () => {
      if (trusting) return;
      const server = await peer([{}], { tls: true });
      const error = await failure(transport().post(request(server.origin)));
      expect(error).toMatchObject({ code: 'TRANSPORT', details: { cause: 'DEPTH_ZERO_SELF_SIGNED_CERT' } });
      expect(error.message).toContain('DEPTH_ZERO_SELF_SIGNED_CERT');
      expect(error.message).toContain('NODE_EXTRA_CA_CERTS');
      expect(server.requests).toHaveLength(0);
    });

    it('talks to a certificate that NODE_EXTRA_CA_CERTS vouches for', async () => {
      // The variable is read at the start of the process: the test runs itself once more in one that has it.
      if (!trusting) {
        const jest = require.resolve('jest/bin/jest');
        await promisify(execFile)(process.execPath, [jest, __filename, '-t', 'vouches for'], {
          env: { ...process.env, NODE_EXTRA_CA_CERTS: CERTIFICATE_FILE },
        });
        return;
      }
      const server = await peer([{ body: 'trusted' }], { tls: true });
      expect((await transport().post(request(server.origin))).body.toString()).toBe('trusted');
    }, 60_000);
  });

  it('AU-05: no error of a broken call shows the key, however deep one looks', async () => {
    const key = 'SECRET-7f3a';
    const echo = await rawPeer((socket, _, bytes) => socket.end(`HTTP/9.9 ${bytes.toString()}`));
    const reset = await rawPeer((socket) => socket.resetAndDestroy());
    const redirecting = await peer([{ status: 307, headers: { location: `http://elsewhere.example/${key}` } }]);
    const extra = { headers: { authorization: `Bearer ${key}` }, secret: Secret.from(key) };
    for (const server of [echo, reset, redirecting]) {
      const error = await failure(transport().post(request(server.origin, extra)));
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
      const call = failure(client.post(request(server.origin)));
      while (server.requests.length === 0) await pause(5);
      await app.close();
      expect(await call).toMatchObject({ code: 'TRANSPORT', message: expect.stringContaining('shutting down') });
      expect(await failure(client.post(request(server.origin)))).toMatchObject({ code: 'TRANSPORT' });
      expect(client.stats).toEqual({ idle: 0, busy: 0, origins: 0 });
    });

    it('refuses options that make no sense', () => {
      expect(() => new HttpTransport({ connectTimeoutMs: 0 })).toThrow(
        "The transport's connectTimeoutMs must be a positive integer, not 0.",
      );
    });
  });
});
