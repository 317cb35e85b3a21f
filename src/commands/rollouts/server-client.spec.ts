import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Secret } from '#domain';
import { RolloutServer } from './rollout-server.js';
import { ServerClient } from './server-client.js';

describe('ServerClient', () => {
  let server: Server;
  let url: string;
  let answer: RequestListener;

  beforeAll(async () => {
    server = createServer((request, response) => answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  /** Answers the next requests so, and keeps them. */
  function answerWith(status: number, body: unknown): IncomingMessage[] {
    const requests: IncomingMessage[] = [];
    answer = (request, response) => {
      requests.push(request);
      response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));
    };
    return requests;
  }

  it('takes a URL without a scheme, with a prefix and with slashes behind it', async () => {
    const requests = answerWith(200, { rollouts: [] });
    for (const base of [url, `http://${url}/`, `${url}/api//`]) {
      await new RolloutServer(new ServerClient(base, null)).list({ limit: 5, after: 'a/b &', status: 'done' });
    }
    const path = '/v1/rollouts?limit=5&status=done&after=a%2Fb+%26';
    expect(requests.map((request) => request.url)).toEqual([path, path, `/api${path}`]);
  });

  it('sends the key as bearer, the bytes of its UTF-8', async () => {
    const requests = answerWith(200, {});
    await new ServerClient(url, Secret.from('Schlüssel')).send('GET', '/');
    const header = requests[0]?.headers.authorization ?? '';
    expect(Buffer.from(header, 'latin1').toString()).toBe('Bearer Schlüssel');
  });

  it('ids travel whole, whatever is in them', async () => {
    const requests = answerWith(404, { detail: 'There is no rollout.' });
    const rollouts = new RolloutServer(new ServerClient(url, null));
    await expect(rollouts.cancel('job 7/ü?#')).rejects.toMatchObject({ code: 'ROLLOUT_NOT_FOUND' });
    expect(requests[0]?.url).toBe('/v1/rollout/job%207%2F%C3%BC%3F%23/cancel');
  });

  it.each([
    [401, { detail: 'Invalid or missing API key' }, 'UNAUTHORIZED', /another key \(Invalid or missing API key\)/],
    [404, { detail: 'There is no rollout "r", or it is forgotten.' }, 'ROLLOUT_NOT_FOUND', /^There is no rollout "r"/],
    [404, { detail: 'Not Found' }, 'PEER_REFUSED', /answered 404: Not Found\. Is it a nestjs-osmosis server/],
    [404, { message: 'Cannot GET /v1/rollout/r' }, 'PEER_REFUSED', /Is it a nestjs-osmosis server/],
    [
      422,
      { detail: [{ msg: 'Value error, one' }, { msg: 'two' }] },
      'REQUEST_INVALID',
      /422: Value error, one; two\.$/,
    ],
    [503, '', 'PEER_ERROR', /answered 503: without a reason/],
    [302, '', 'PEER_REFUSED', /answered 302/],
    [200, 'hello', 'PROTOCOL', /gave no JSON: hello/],
  ])('%d with %j is %s', async (status, body, code, message) => {
    answerWith(status, body);
    await expect(new ServerClient(url, null).send('GET', '/v1/rollout/r')).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
  });

  it('a connection that breaks in the middle of an answer is told', async () => {
    answer = (_request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{');
      setImmediate(() => response.destroy());
    };
    await expect(new ServerClient(url, null).send('GET', '/')).rejects.toMatchObject({ code: 'TRANSPORT' });
  });

  it('ends when it is told to, with that reason', async () => {
    const controller = new AbortController();
    answer = () => controller.abort(new Error('interrupted'));
    await expect(new ServerClient(url, null, controller.signal).send('GET', '/')).rejects.toThrow('interrupted');
  });

  it.each(['ftp://h', 'http://', 'http://user@h', 'http://:SECRET@h'])('%s is no URL of a server', (wrong) => {
    const open = (): unknown => new ServerClient(wrong, null);
    expect(open).toThrow(expect.objectContaining({ code: 'USAGE' }));
    expect(open).not.toThrow(/SECRET/);
  });

  it('NT-15: a key that no header can carry is refused, and not shown', () => {
    const open = (): unknown => new ServerClient(url, Secret.from('SECRET\nkey'));
    expect(open).toThrow(/control characters/);
    expect(open).not.toThrow(/SECRET/);
  });
});
