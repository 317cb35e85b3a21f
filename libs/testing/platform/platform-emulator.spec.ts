import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { request } from 'undici';
import { PlatformEmulator, SAMPLE_MEMBERSHIPS } from './index.js';

describe('PlatformEmulator', () => {
  let platform: PlatformEmulator;

  beforeEach(async () => {
    platform = await PlatformEmulator.start();
  });

  afterEach(() => platform.stop());

  const call = async (
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    options: { token?: string; body?: string } = {},
  ) => {
    const headers = options.token === undefined ? {} : { authorization: `Bearer ${options.token}` };
    const answer = await request(`${platform.url}${path}`, { method, headers, body: options.body });
    return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
  };

  it('knows several users and organisations, two of one name', () => {
    const names = SAMPLE_MEMBERSHIPS.map(({ organization }) => organization.name);
    expect(names).toEqual(['Acme', 'Labs', 'Acme']);
    expect(new Set(SAMPLE_MEMBERSHIPS.map(({ user }) => user.id)).size).toBe(2);
  });

  describe('login page', () => {
    const QUERY = 'state=s&port=8976&device_name=%3Cb%3E&redirect_uri=http%3A%2F%2Flocalhost%3A8976%2Fcallback';

    it('offers every membership, and escapes what it was given', async () => {
      const { status, text } = await call('GET', `/cli-auth?${QUERY}`);
      expect(status).toBe(200);
      expect(text).toContain('ada@example.com at Labs (admin)');
      expect(text).not.toContain('<b>');
    });

    it('a choice leads back with a token; a second one revokes the first', async () => {
      const locations: URL[] = [];
      for (let count = 0; count < 2; count += 1) {
        const { status, headers } = await call('POST', '/cli-auth', {
          body: `${QUERY}&membership=user_ada%40org_acme`,
        });
        expect(status).toBe(303);
        locations.push(new URL(String(headers.location)));
      }
      expect(locations.map(({ searchParams }) => searchParams.get('revoked_count'))).toEqual(['0', '1']);
      const [first, second] = locations.map(({ searchParams }) => searchParams.get('token') ?? '');
      expect((await call('GET', '/api/cli/verify', { token: first })).status).toBe(401);
      expect((await call('GET', '/api/cli/verify', { token: second })).status).toBe(200);
    });

    it('leads nowhere but to this machine', async () => {
      const elsewhere = QUERY.replace('localhost', 'evil.example');
      expect((await call('GET', `/cli-auth?${elsewhere}`)).status).toBe(400);
      expect((await call('POST', '/cli-auth', { body: elsewhere })).status).toBe(400);
    });
  });

  it('an expired token is no token', async () => {
    const { token } = platform.issue({ expiresAt: new Date(0) });
    expect((await call('GET', '/api/cli/verify', { token })).status).toBe(401);
  });

  it('users revoke their own tokens only', async () => {
    const [mine, theirs] = [platform.issue(), platform.issue({ membership: SAMPLE_MEMBERSHIPS[2] })];
    expect((await call('DELETE', `/api/cli/tokens/${theirs.id}`, { token: mine.token })).status).toBe(404);
    expect((await call('DELETE', `/api/cli/tokens/${mine.id}`, { token: mine.token })).status).toBe(200);
    expect((await call('GET', '/api/cli/verify', { token: mine.token })).status).toBe(401);
  });

  it('a device code is pending, then granted once', async () => {
    const { device_code, user_code } = JSON.parse(
      (await call('POST', '/api/cli/device/authorize', { body: '{}' })).text,
    );
    const poll = () => call('POST', '/api/cli/device/token', { body: JSON.stringify({ device_code }) });
    expect((await poll()).text).toContain('authorization_pending');
    await call('POST', '/device', { body: `user_code=${user_code}&membership=user_bo%40org_acme_2` });
    expect(JSON.parse((await poll()).text)).toMatchObject({ user: { email: 'bo@example.com' } });
    expect((await poll()).text).toContain('expired_token');
  });

  describe('server registration', () => {
    let server: Server;
    let statuses: number[];

    beforeEach(async () => {
      server = createServer((_request, response) => {
        response.statusCode = statuses.shift() ?? 200;
        response.end('{}');
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    });

    afterEach(() => new Promise((resolve) => server.close(resolve)));

    it('probes back each time: a flapping server flaps here too, under one id', async () => {
      statuses = [200, 503, 200];
      const { token } = platform.issue();
      const { port } = server.address() as AddressInfo;
      const body = JSON.stringify({ host: '127.0.0.1', port, agent_loop_name: 'a' });
      const answers: { id: string; status: string }[] = [];
      for (let count = 0; count < 3; count += 1) {
        answers.push(JSON.parse((await call('POST', '/api/cli/rollout-server/register', { token, body })).text));
      }
      expect(answers.map(({ status }) => status)).toEqual(['healthy', 'unhealthy', 'healthy']);
      expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    });

    it('refuses what is incomplete, and whoever is not logged in', async () => {
      const { token } = platform.issue();
      expect((await call('POST', '/api/cli/rollout-server/register', { token, body: '{}' })).status).toBe(400);
      expect((await call('POST', '/api/cli/rollout-server/register', { body: '{}' })).status).toBe(401);
    });
  });

  it('inflicts the planned faults in order, then answers well', async () => {
    const { token } = platform.issue();
    platform.failNext('GET /api/cli/verify', { status: 418, body: 'tea' }, { reset: true }, { delayMs: 20 });
    expect(await call('GET', '/api/cli/verify', { token })).toMatchObject({ status: 418, text: 'tea' });
    await expect(call('GET', '/api/cli/verify', { token })).rejects.toThrow();
    expect((await call('GET', '/api/cli/verify', { token })).status).toBe(200);
    expect(platform.callsOf('GET /api/cli/verify')).toHaveLength(3);
  });
});
