import { createServer, type Server } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { Logger } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { Secret } from '#domain';
import { until } from '../../../test/support/init.js';
import { PlatformEmulator, type PlatformFault } from '../../testing/platform/index.js';
import { AuthModule } from '../auth.module.js';
import type { AuthModuleOptions } from '../auth.settings.js';
import { PlatformClient } from './platform.client.js';

const VERIFY = 'GET /api/cli/verify';

describe('PlatformClient', () => {
  let platform: PlatformEmulator;
  let token: Secret;
  const modules: TestingModule[] = [];

  beforeAll(() => Logger.overrideLogger(false));

  // One for each test: a fault that a call did not come to meet waits for no call of another test.
  beforeEach(async () => {
    platform = await PlatformEmulator.start();
    token = Secret.from(platform.issue().token) as Secret;
  });

  afterEach(async () => {
    await Promise.all(modules.splice(0).map((module) => module.close()));
    await platform.stop();
  });

  const client = async (options: AuthModuleOptions = {}): Promise<PlatformClient> => {
    const auth = AuthModule.forRoot({
      platformUrl: platform.url,
      configDir: '/nonexistent',
      version: '1.2.3',
      ...options,
    });
    const module = await Test.createTestingModule({ imports: [auth] }).compile();
    modules.push(module);
    return module.get(PlatformClient);
  };

  it('G-E: sends the token and its name, and gives the JSON back', async () => {
    await expect((await client()).request('/api/cli/verify', { token })).resolves.toMatchObject({ valid: true });
    expect(platform.calls).toMatchObject([
      { method: 'GET', authorization: `Bearer ${token.reveal()}`, userAgent: 'osmosis-cli/1.2.3', body: '' },
    ]);
  });

  it('G-E: posts JSON; given headers are added, and stronger', async () => {
    const call = (await client()).request('/api/cli/device/authorize', {
      method: 'POST',
      body: { deviceName: 'laptop' },
      headers: { 'User-Agent': 'mine' },
      token: 'anonymous',
    });
    await expect(call).resolves.toHaveProperty('user_code');
    expect(platform.calls).toMatchObject([
      { body: '{"deviceName":"laptop"}', authorization: undefined, userAgent: 'mine' },
    ]);
  });

  it('uses the stored login by default; without one it asks nobody', async () => {
    await expect((await client()).request('/api/cli/verify')).rejects.toMatchObject({ code: 'AUTH_REQUIRED' });
    expect(platform.calls).toEqual([]);
  });

  describe('errors are typed', () => {
    it.each<[string, PlatformFault, Record<string, unknown>]>([
      ['401', { status: 401 }, { code: 'AUTH_REJECTED' }],
      [
        '404 with a body',
        { status: 404, body: 'no such thing' },
        { code: 'PEER_REFUSED', status: 404, message: /It said: no such thing/ },
      ],
      ['404 without a body', { status: 404 }, { status: 404, message: /HTTP 404\.$/ }],
      ['426', { status: 426, body: 'too old' }, { status: 426, message: /too old Upgrade this program/ }],
      [
        'a redirect',
        { status: 302, headers: { Location: 'https://evil.example' } },
        { status: 302, message: /redirects/ },
      ],
      ['a long body', { status: 400, body: 'x'.repeat(600) }, { message: /x{500}\.\.\.\(truncated\)$/ }],
      ['HTML', { status: 200, body: '<html>' }, { code: 'PROTOCOL', message: /no JSON/ }],
    ])('%s', async (_name, fault, { message, ...expected }) => {
      platform.failNext(VERIFY, fault);
      await expect((await client()).request('/api/cli/verify', { token })).rejects.toMatchObject({
        ...expected,
        ...(message instanceof RegExp && { message: expect.stringMatching(message) }),
      });
      expect(platform.calls).toHaveLength(1);
    });

    it('nobody listens there', async () => {
      const nobody = await client({ platformUrl: 'http://127.0.0.1:1' });
      await expect(nobody.request('/x', { token })).rejects.toMatchObject({
        code: 'TRANSPORT',
        status: undefined,
        message: expect.stringContaining('ECONNREFUSED'),
      });
    });

    it('no answer in time: names the limit, not what was left of it for the last try', async () => {
      platform.failNext(VERIFY, { status: 503 }, { hang: true });
      const call = (await client()).request('/api/cli/verify', { token, timeoutMs: 2_000 });
      await expect(call).rejects.toMatchObject({ code: 'TIMEOUT', message: expect.stringContaining('within 2 s') });
    });

    it('the caller gave up', async () => {
      platform.failNext(VERIFY, { hang: true });
      const reason = new Error('enough');
      const controller = new AbortController();
      const call = (await client()).request('/api/cli/verify', { token, signal: controller.signal });
      await until(() => platform.calls.length === 1);
      controller.abort(reason);
      await expect(call).rejects.toBe(reason);
    });

    it('AU-05: the token is in no error, whatever the platform echoes', async () => {
      platform.failNext(
        VERIFY,
        { status: 403, body: `no rights for ${token.reveal()}` },
        { reset: true },
        { reset: true },
      );
      platform.failNext(
        VERIFY,
        { reset: true },
        { status: 401, body: token.reveal() },
        { status: 200, body: token.reveal() },
      );
      const asking = await client();
      for (let call = 0; call < 4; call += 1) {
        const error: unknown = await asking.request('/api/cli/verify', { token }).catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(Error);
        expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(token.reveal());
      }
    });
  });

  describe('retries', () => {
    it('tries an idempotent call again', async () => {
      platform.failNext(VERIFY, { status: 503 }, { reset: true });
      await expect((await client()).request('/api/cli/verify', { token })).resolves.toMatchObject({ valid: true });
      expect(platform.calls).toHaveLength(3);
    });

    it('three times at most', async () => {
      platform.failNext(VERIFY, { status: 500 }, { status: 500 }, { status: 500 });
      await expect((await client()).request('/api/cli/verify', { token })).rejects.toMatchObject({ status: 500 });
      expect(platform.calls).toHaveLength(3);
    });

    it('not when the platform asks for more patience than the call has', async () => {
      platform.failNext(VERIFY, { status: 429, headers: { 'Retry-After': '60' } });
      await expect((await client()).request('/api/cli/verify', { token })).rejects.toMatchObject({ status: 429 });
      expect(platform.calls).toHaveLength(1);
    });

    it('never a POST, unless it is said to be harmless', async () => {
      const route = 'POST /api/cli/device/authorize';
      const post = { method: 'POST', body: {}, token: 'anonymous' } as const;
      const asking = await client();
      platform.failNext(route, { status: 503 });
      await expect(asking.request('/api/cli/device/authorize', post)).rejects.toMatchObject({ status: 503 });
      platform.failNext(route, { status: 503 });
      await expect(asking.request('/api/cli/device/authorize', { ...post, idempotent: true })).resolves.toBeDefined();
      expect(platform.calls).toHaveLength(3);
    });
  });

  describe('NT-16: proxies', () => {
    let proxy: Server;
    let proxyUrl: string;
    let asked: string[];

    beforeEach(async () => {
      asked = [];
      // Whatever host is asked for, the emulator answers.
      proxy = createServer().on('connect', (request, socket) => {
        asked.push(request.url ?? '');
        const upstream = connect(Number(new URL(platform.url).port), '127.0.0.1', () => {
          socket.write('HTTP/1.1 200 OK\r\n\r\n');
          upstream.pipe(socket).pipe(upstream);
        });
        socket.on('error', () => upstream.destroy());
      });
      await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
      proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    });

    afterEach(() => new Promise((resolve) => proxy.close(resolve)));

    const through = (env: Record<string, string>, platformUrl: string): Promise<PlatformClient> =>
      client({ platformUrl, env: { ...env, OSMOSIS_ALLOW_INSECURE_PLATFORM_URL: '1' } });

    it('are used; an empty lower-case variable does not hide the upper-case one', async () => {
      const env = { http_proxy: '', HTTP_PROXY: proxyUrl };
      await expect(
        (await through(env, 'http://platform.test')).request('/api/cli/verify', { token }),
      ).resolves.toBeDefined();
      expect(asked).toEqual(['platform.test:80']);
    });

    it('are not used for the loopback, nor for hosts in NO_PROXY', async () => {
      await (await through({ HTTP_PROXY: proxyUrl }, platform.url)).request('/api/cli/verify', { token });
      // Leads to this machine without a look into the DNS, and is none of the names of the loopback.
      const elsewhere = `http://0.0.0.0:${new URL(platform.url).port}`;
      const direct = await through({ HTTP_PROXY: proxyUrl, NO_PROXY: '0.0.0.0' }, elsewhere);
      await expect(direct.request('/api/cli/verify', { token })).resolves.toBeDefined();
      expect(asked).toEqual([]);
    });

    it('that are no URL are named, but not shown', async () => {
      const bad = await through({ HTTP_PROXY: 'user:SECRET-7f3a@proxy' }, 'http://platform.test');
      const attempt = bad.request('/x', { token });
      await expect(attempt).rejects.toMatchObject({
        code: 'CONFIG_INVALID',
        message: expect.stringContaining('HTTP_PROXY'),
      });
      await expect(attempt).rejects.not.toMatchObject({ message: expect.stringContaining('SECRET') });
    });
  });

  it('a certificate file that cannot be used is named', async () => {
    const asking = await client({ env: { OSMOSIS_CA_FILE: '/nonexistent.pem' } });
    await expect(asking.request('/x', { token })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('OSMOSIS_CA_FILE (/nonexistent.pem)'),
    });
  });
});
