import type { ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { Cancellation, OsmosisError } from '#domain';
import { failureOf, postTo, transportHarness } from './fixtures/transport-harness.js';

const pause = promisify(setTimeout);

/** A peer's script that answers when the test says so. */
function held() {
  const waiting: ServerResponse[] = [];
  return {
    waiting,
    script: (_request: unknown, _index: number, response: ServerResponse): null => {
      waiting.push(response);
      return null;
    },
    async arrived(count: number): Promise<void> {
      while (waiting.length < count) await pause(2);
    },
  };
}

describe('limits of HttpTransport', () => {
  const { transport, peer } = transportHarness();

  it('maxConnections: further calls wait for their turn, in the order in which they were asked for', async () => {
    const { script, waiting, arrived } = held();
    const server = await peer(script);
    const client = transport({ maxConnections: 2 });
    const calls = ['/a', '/b', '/c', '/d'].map((path) => client.post(postTo(server.origin + path)));
    await arrived(2);
    await pause(30);
    const paths = (): string[] => server.requests.map(({ path }) => path);
    expect(paths().sort()).toEqual(['/a', '/b']);
    expect(client.stats.busy).toBe(2);
    for (let index = 0; index < 4; index++) {
      waiting[index]?.end('{}');
      await arrived(Math.min(index + 3, 4));
    }
    await Promise.all(calls);
    expect(paths().slice(2)).toEqual(['/c', '/d']);
    expect(server.connections).toBe(2);
  });

  it('a waiting call that is cancelled, or whose time is up, is never sent and leaves its place', async () => {
    const { script, waiting, arrived } = held();
    const server = await peer(script);
    const client = transport({ maxConnections: 1 });
    const first = client.post(postTo(`${server.origin}/first`));
    await arrived(1);
    const cancellation = new Cancellation();
    const cancelled = failureOf(client.post(postTo(`${server.origin}/cancelled`, { cancellation })));
    const expired = failureOf(client.post(postTo(`${server.origin}/expired`, { timeoutMs: 20 })));
    const last = client.post(postTo(`${server.origin}/last`));
    cancellation.cancel(new OsmosisError('CANCELLED', 'enough'));
    expect(await cancelled).toMatchObject({ code: 'CANCELLED' });
    expect(await expired).toMatchObject({ code: 'TIMEOUT' });
    waiting[0]?.end('{}');
    await arrived(2);
    waiting[1]?.end('{}');
    await Promise.all([first, last]);
    expect(server.requests.map(({ path }) => path)).toEqual(['/first', '/last']);
    expect(client.stats.busy).toBe(0);
  });

  it('maxIdleConnections: connections beyond it are closed when their call ends', async () => {
    const { script, waiting, arrived } = held();
    const server = await peer(script);
    const client = transport({ maxIdleConnections: 1 });
    const calls = [1, 2, 3].map(() => client.post(postTo(server.origin)));
    await arrived(3);
    for (const response of waiting) response.end('{}');
    await Promise.all(calls);
    expect(client.stats).toMatchObject({ idle: 1, busy: 0 });
  });
});
