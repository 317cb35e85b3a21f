import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolveWorkspaceSettings } from '../workspace.settings.js';
import { PublicIpDetector } from './public-ip.detector.js';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const text =
  (body: string, status = 200): Handler =>
  (_request, response) => {
    response.statusCode = status;
    response.end(body);
  };
const hang: Handler = () => {};
const reset: Handler = (request) => void request.socket.destroy();

const AWS_TOKEN = 'PUT /latest/api/token';
const AWS = 'GET /latest/meta-data/public-ipv4';
const GCP = 'GET /computeMetadata/v1/instance/network-interfaces/0/access-configs/0/external-ip';
const AZURE =
  'GET /metadata/instance/network/interface/0/ipv4/ipAddress/0/publicIpAddress?api-version=2021-02-01&format=text';

describe('PublicIpDetector (spec 9.5, 12.10)', () => {
  let server: Server;
  let url: string;
  let routes: Record<string, Handler>;
  let asked: { route: string; headers: IncomingMessage['headers'] }[];

  beforeEach(async () => {
    // No limit ends a call here: none is missed by a process that was stopped, and who waits for a hanging one waits for ever.
    jest.spyOn(AbortSignal, 'timeout').mockImplementation(() => new AbortController().signal);
    routes = {};
    asked = [];
    server = createServer((request, response) => {
      const route = `${request.method} ${request.url}`;
      asked.push({ route, headers: request.headers });
      (routes[route] ?? text('', 404))(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterEach(async () => {
    jest.restoreAllMocks();
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  });

  const detector = (...services: string[]): PublicIpDetector =>
    new PublicIpDetector(
      resolveWorkspaceSettings({ metadataUrl: url, addressServices: services.map((path) => `${url}${path}`) }),
    );

  describe('clouds', () => {
    it('AWS: fetches a token first', async () => {
      routes[AWS_TOKEN] = text('aws-token');
      routes[AWS] = text('54.1.2.3');
      await expect(detector().detect()).resolves.toBe('54.1.2.3');
      const headersOf = (wanted: string) => asked.find(({ route }) => route === wanted)?.headers;
      expect(headersOf(AWS_TOKEN)).toHaveProperty('x-aws-ec2-metadata-token-ttl-seconds', '60');
      expect(headersOf(AWS)).toHaveProperty('x-aws-ec2-metadata-token', 'aws-token');
    });

    it.each([
      ['GCP', GCP, 'metadata-flavor', 'Google'],
      ['Azure', AZURE, 'metadata', 'true'],
    ])('%s: sends its header', async (_name, route, header, value) => {
      routes[route] = text(' 34.5.6.7\n');
      await expect(detector().detect()).resolves.toBe('34.5.6.7');
      expect(asked.find((one) => one.route === route)?.headers).toHaveProperty(header, value);
    });

    it.each<[string, Record<string, Handler>]>([
      ['no token', { [AWS_TOKEN]: text('', 403), [AWS]: text('54.1.2.3') }],
      ['no address but text', { [GCP]: text('<html>'), [AZURE]: text(' ') }],
      ['broken connections', { [AWS_TOKEN]: reset, [GCP]: reset, [AZURE]: reset }],
    ])('%s: the services are asked', async (_name, handlers) => {
      routes = { ...handlers, 'GET /ip': text('203.0.113.42\n') };
      await expect(detector('/ip').detect()).resolves.toBe('203.0.113.42');
    });

    it('a hit: the services are not asked', async () => {
      routes[GCP] = text('34.5.6.7');
      await detector('/ip').detect();
      expect(asked.map(({ route }) => route)).not.toContain('GET /ip');
    });
  });

  it('13.22: the first good answer ends it, however slow the others are', async () => {
    routes = { [AWS_TOKEN]: hang, [AZURE]: hang, [GCP]: text('34.5.6.7') };
    await expect(detector().detect()).resolves.toBe('34.5.6.7');
  });

  it('takes IPv6 only where that was asked for, and IPv4 before it', async () => {
    routes['GET /six'] = text('2606:4700::1111');
    routes['GET /four'] = (request, response) => void setTimeout(() => text('8.8.4.4')(request, response), 50);
    await expect(detector('/six').detect()).rejects.toMatchObject({ code: 'PUBLIC_ADDRESS_UNKNOWN' });
    await expect(detector('/six').detect({ ipv6: true })).resolves.toBe('2606:4700::1111');
    await expect(detector('/six', '/four').detect({ ipv6: true })).resolves.toBe('8.8.4.4');
  });

  it('nobody knows: the error names both ways and the cure', async () => {
    routes['GET /html'] = text('<html>');
    routes['GET /empty'] = text('');
    await expect(detector('/html', '/empty', '/missing').detect()).rejects.toMatchObject({
      name: 'PublicIpDetectionError',
      message: expect.stringMatching(/Failed to detect public IP.*Cloud metadata.*External IP services.*explicit host/),
    });
  });

  it('can be cut short', async () => {
    routes = { [AWS_TOKEN]: hang, [GCP]: hang, [AZURE]: hang };
    const reason = new Error('stopping');
    const stop = new AbortController();
    setTimeout(() => stop.abort(reason), 50);
    await expect(detector().detect({ signal: stop.signal })).rejects.toBe(reason);
  });
});
