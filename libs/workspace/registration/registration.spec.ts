import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Logger } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { Secret } from '#domain';
import { until } from '../../../test/support/init.js';
import { EMULATED_SERVER_ROUTES, PlatformEmulator, type RegisteredServer } from '../../testing/platform/index.js';
import { PublicIpDetector } from '../network/public-ip.detector.js';
import { WorkspaceModule } from '../workspace.module.js';
import type { WorkspaceModuleOptions } from '../workspace.settings.js';
import { localAddress } from './readiness.js';
import { readRegistration, type RegistrationResult } from './registration.result.js';
import { RegistrationService, type ServerAddress } from './registration.service.js';
import { ServerRegistration } from './server-registration.js';

const REGISTER = 'POST /api/cli/rollout-server/register';
const QUICK: WorkspaceModuleOptions = {
  backoff: { baseDelayMs: 20, maxDelayMs: 20 },
  watchIntervalMs: 20,
  routes: EMULATED_SERVER_ROUTES,
};

describe('registration with the platform (spec 9.2, 12.9)', () => {
  let platform: PlatformEmulator;
  let rollouts: Server;
  let healthy: boolean;
  let server: ServerAddress;
  let module: TestingModule | null = null;

  beforeAll(() => Logger.overrideLogger(false));

  beforeEach(async () => {
    platform = await PlatformEmulator.start();
    healthy = true;
    rollouts = createServer((request, response) => {
      const allowed = request.url === '/health' || request.headers.authorization === 'Bearer server-key';
      response.statusCode = !allowed ? 401 : healthy ? 200 : 503;
      response.end(JSON.stringify({ status: 'healthy', active_rollouts: 2 }));
    });
    await new Promise<void>((resolve) => rollouts.listen(0, '127.0.0.1', resolve));
    server = { host: '127.0.0.1', port: (rollouts.address() as AddressInfo).port, agent: 'calculator' };
  });

  afterEach(async () => {
    await module?.close();
    module = null;
    await platform.stop();
    await new Promise((resolve) => rollouts.close(resolve));
  });

  const start = async (
    options: WorkspaceModuleOptions = {},
    token = platform.issue().token,
  ): Promise<TestingModule> => {
    const env = { OSMOSIS_TOKEN: token, OSMOSIS_TOKEN_PLATFORM_URL: platform.url };
    const auth = { platformUrl: platform.url, configDir: '/nonexistent', env };
    module = await Test.createTestingModule({ imports: [WorkspaceModule.forRoot({ ...options, auth })] }).compile();
    return module;
  };

  const registered = (): RegisteredServer[] => [...platform.records.servers.values()];

  describe('one try', () => {
    it('healthy: the platform reached the server with its key', async () => {
      const service = (await start()).get(RegistrationService);
      const result = await service.register({ ...server, apiKey: Secret.from('server-key') });
      expect(result).toEqual({
        success: true,
        isHealthy: true,
        serverId: registered()[0]?.id,
        status: 'healthy',
        error: null,
        serverInfo: { status: 'healthy', active_rollouts: 2 },
        host: '127.0.0.1',
        port: server.port,
        agent: 'calculator',
        retryable: false,
      });
      expect(Object.keys(JSON.parse(platform.callsOf(REGISTER)[0]?.body ?? ''))).toEqual([
        'host',
        'port',
        'agent_loop_name',
        'api_key',
      ]);
    });

    it('the key is sent only where there is one', async () => {
      await (await start()).get(RegistrationService).register(server);
      expect(JSON.parse(platform.callsOf(REGISTER)[0]?.body ?? '')).toEqual({
        host: '127.0.0.1',
        port: server.port,
        agent_loop_name: 'calculator',
      });
    });

    it('unhealthy: registered all the same, with the reason', async () => {
      healthy = false;
      expect(await (await start()).get(RegistrationService).register(server)).toMatchObject({
        success: true,
        isHealthy: false,
        status: 'unhealthy',
        error: 'The health check answered HTTP 503',
        retryable: true,
      });
    });

    it.each<[string, unknown, Partial<RegistrationResult> | null]>([
      [
        'no reason',
        { id: 's', status: 'unhealthy' },
        { success: true, isHealthy: false, error: 'Health check failed' },
      ],
      ['no status', { id: 's' }, { success: true, isHealthy: false, status: 'unknown' }],
      ['12.9: pending', { status: 'pending' }, { isHealthy: false, serverId: null }],
      [
        '13.32: healthy with a null check',
        { id: 's', status: 'healthy', health_check_result: null },
        { isHealthy: true, serverInfo: null },
      ],
      ['a number for an id', { id: 7, status: 'healthy' }, { serverId: '7' }],
      ['a list', [], null],
      ['null', null, null],
    ])('an answer with %s', (_name, answer, expected) => {
      const result = readRegistration(answer);
      if (expected === null) expect(result).toBeNull();
      else expect(result).toMatchObject(expected);
    });

    it.each([
      ['nobody logged in', '', { retryable: false, error: /osmosis login/ }],
      ['a revoked login', 'wrong', { retryable: false, error: /HTTP 401.*osmosis login/ }],
    ])('%s is a result, not an error', async (_name, token, { error, ...expected }) => {
      const result = await (await start({}, token)).get(RegistrationService).register(server);
      expect(result).toMatchObject({ success: false, status: 'error', ...expected });
      expect(result.error).toMatch(error);
    });

    it.each([
      [{ status: 500, body: 'oops' }, /HTTP 500.*oops/, true],
      [{ status: 400, body: 'bad port' }, /HTTP 400.*bad port/, false],
      [{ reset: true } as const, /Cannot reach the platform/, true],
      [{ status: 200, body: 'hello' }, /no JSON/, true],
      [{ status: 200, body: '[]' }, /something else than an object/, false],
    ])('a platform that answers %j is a result, not an error', async (fault, error, retryable) => {
      platform.failNext(REGISTER, fault);
      const result = await (await start()).get(RegistrationService).register(server);
      expect(result).toMatchObject({ success: false, status: 'error', retryable });
      expect(result.error).toMatch(error);
      expect(platform.callsOf(REGISTER)).toHaveLength(1);
    });
  });

  describe('which address is told', () => {
    it.each(['10.0.0.5', 'my-server.example.com', '127.0.0.1', 'localhost'])('%s as it is', async (host) => {
      await expect((await start()).get(RegistrationService).advertisedHost({ ...server, host })).resolves.toBe(host);
    });

    it('an explicit public host before everything', async () => {
      const service = (await start()).get(RegistrationService);
      const told = service.advertisedHost({ ...server, host: '0.0.0.0', publicHost: 'pub.example.com' });
      await expect(told).resolves.toBe('pub.example.com');
    });

    it.each([
      ['0.0.0.0', false],
      ['::', true],
    ])('%s: the detected one', async (host, ipv6) => {
      const running = await start();
      const detect = jest.spyOn(running.get(PublicIpDetector), 'detect').mockResolvedValue('54.1.2.3');
      await expect(running.get(RegistrationService).advertisedHost({ ...server, host })).resolves.toBe('54.1.2.3');
      expect(detect).toHaveBeenCalledWith({ ipv6, signal: undefined });
    });

    it('none found: a result that says so', async () => {
      const service = (await start({ metadataUrl: 'http://127.0.0.1:1', addressServices: [] })).get(
        RegistrationService,
      );
      expect(await service.register({ ...server, host: '0.0.0.0' })).toMatchObject({
        success: false,
        status: 'error',
        host: null,
        error: expect.stringContaining('public IP'),
      });
    });
  });

  describe('while the server runs (13.32)', () => {
    const run = async (
      options: WorkspaceModuleOptions = QUICK,
      address: Partial<ServerAddress> = {},
    ): Promise<{ registration: ServerRegistration; results: RegistrationResult[] }> => {
      const registration = (await start(options)).get(ServerRegistration);
      const results: RegistrationResult[] = [];
      registration.start({
        ...server,
        ...address,
        readinessTimeoutMs: 200,
        onResult: (result) => results.push(result),
      });
      return { registration, results };
    };

    it('tries again until the platform is there', async () => {
      platform.failNext(REGISTER, { status: 503 }, { reset: true });
      const { results } = await run();
      await until(() => results.at(-1)?.isHealthy === true);
      expect(platform.callsOf(REGISTER)).toHaveLength(3);
    });

    it('tries again until the platform can reach the server, and tells of every change', async () => {
      healthy = false;
      const { registration, results } = await run();
      await until(() => platform.callsOf(REGISTER).length >= 3);
      expect(results.map(({ status }) => status)).toEqual(['unhealthy']);
      healthy = true;
      await until(() => results.length === 2);
      expect(registration.last).toMatchObject({ status: 'healthy' });
    });

    it('registers anew when the platform has forgotten the server', async () => {
      const { results } = await run();
      await until(() => registered().length === 1);
      platform.records.servers.clear();
      await until(() => registered().length === 1);
      expect(results).toHaveLength(1);
    });

    it('a platform that cannot be asked is no reason to register twice', async () => {
      await run();
      await until(() => registered().length === 1);
      platform.failNext('GET /api/cli/rollout-server/{id}', { status: 500 }, { status: 500 }, { status: 500 });
      const before = platform.calls.length;
      await until(() => platform.calls.length > before + 4);
      expect(platform.callsOf(REGISTER)).toHaveLength(1);
    });

    it('does not try again what cannot get better', async () => {
      platform.failNext(REGISTER, { status: 400 });
      const { results } = await run();
      await until(() => results.length === 1);
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(platform.callsOf(REGISTER)).toHaveLength(1);
    });

    it('signs off at the end', async () => {
      await run();
      await until(() => registered().length === 1);
      await module?.close();
      expect(registered()).toEqual([]);
    });

    it('signs off also when it is stopped while the platform is answering', async () => {
      platform.failNext(REGISTER, { delayMs: 200 });
      await run();
      await until(() => platform.callsOf(REGISTER).length === 1);
      await module?.close();
      expect(platform.calls.at(-1)?.route).toBe('DELETE /api/cli/rollout-server/{id}');
      expect(registered()).toEqual([]);
    });

    it('does not wait for a platform that never answers', async () => {
      platform.failNext(REGISTER, { hang: true });
      // No limit ends the call here: who waits for it waits for ever.
      const limits = jest.spyOn(AbortSignal, 'timeout').mockImplementation(() => new AbortController().signal);
      try {
        const { registration } = await run({ ...QUICK, routes: {} });
        await until(() => platform.callsOf(REGISTER).length === 1);
        await registration.stop();
      } finally {
        limits.mockRestore();
      }
    });

    it('without known routes it registers once, and leaves quietly', async () => {
      const { results } = await run({});
      await until(() => results.length === 1);
      await module?.close();
      expect(platform.calls.map(({ route }) => route)).toEqual([REGISTER]);
    });

    it('waits for the health page of the bound address, then registers all the same', async () => {
      const { results } = await run(QUICK, { port: 1 });
      await until(() => results.length === 1);
      expect(results[0]).toMatchObject({ success: true, isHealthy: false });
    });

    it('stops at any moment without an error, also during detection', async () => {
      const { registration } = await run({ ...QUICK, metadataUrl: platform.url }, { host: '0.0.0.0' });
      await registration.stop();
      expect(registration.last).toBeNull();
      await registration.stop();
    });

    it('is not started twice', async () => {
      const { registration } = await run();
      expect(() => registration.start(server)).toThrow(expect.objectContaining({ code: 'USAGE' }));
    });
  });

  it.each([
    ['0.0.0.0', 'http://127.0.0.1:80'],
    ['::', 'http://[::1]:80'],
    ['10.0.0.5', 'http://10.0.0.5:80'],
    ['::1', 'http://[::1]:80'],
  ])('a server on %s is reached at %s from here', (host, url) => {
    expect(localAddress(host, 80)).toBe(url);
  });
});
