import { promisify } from 'node:util';
import { TransportError } from '#domain';
import { failureOf, postTo, transportHarness } from './fixtures/transport-harness.js';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const pause = promisify(setTimeout);

describe('connections to trainers', () => {
  const { transport, peer, rawPeer } = transportHarness();

  describe('their number', () => {
    it('serves one call after another over one connection', async () => {
      const server = await peer();
      const client = transport();
      for (let call = 0; call < 5; call++) await client.post(postTo(server.origin));
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
      await Promise.all(Array.from({ length: 50 }, () => client.post(postTo(server.origin))));
      expect(server.connections).toBe(50);
      expect(client.stats).toEqual({ idle: 50, busy: 0, origins: 1 });
    });

    it('forgets an origin as soon as its last connection is closed', async () => {
      const server = await peer((_, __, response) => {
        response.setHeader('connection', 'close');
        return {};
      });
      const client = transport();
      await client.post(postTo(server.origin));
      while (client.stats.origins > 0) await pause(5);
      expect(client.stats).toEqual({ idle: 0, busy: 0, origins: 0 });
    });

    it('closes idle connections when there are too many origins', async () => {
      const servers = await Promise.all([peer(), peer(), peer()]);
      const client = transport({ maxOrigins: 2 });
      for (const server of servers) await client.post(postTo(server.origin));
      expect(client.stats).toEqual({ idle: 2, busy: 0, origins: 2 });
    });
  });

  describe('NT-01: a peer that closes an idle connection', () => {
    it('costs no call when the server keeps connections for 50 ms and turns are 60 ms apart', async () => {
      const server = await peer([{}], { keepAliveTimeoutMs: 50 });
      const client = transport();
      for (let turn = 0; turn < 30; turn++) {
        await client.post(postTo(server.origin));
        await pause(60);
      }
      expect(server.requests).toHaveLength(30);
    });

    it('is replayed once, on a new connection, when it breaks before the answer begins', async () => {
      let served = 0;
      const server = await rawPeer((socket) => (served++ === 1 ? socket.resetAndDestroy() : socket.write(OK)));
      const client = transport();
      await client.post(postTo(server.origin));
      expect((await client.post(postTo(server.origin))).body.toString()).toBe('ok');
      expect([served, server.connections]).toEqual([3, 2]);
    });

    it('is not replayed on a connection that is new', async () => {
      const server = await rawPeer((socket) => socket.resetAndDestroy());
      const error = await failureOf(transport().post(postTo(server.origin)));
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
      await client.post(postTo(server.origin));
      await failureOf(client.post(postTo(server.origin)));
      await client.post(postTo(server.origin));
      await failureOf(client.post(postTo(server.origin, { replay: false })));
      expect(served).toBe(4);
    });
  });
});
