import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { request } from 'undici';
import { until } from '../../../test/support/init.js';
import { PlatformEmulator, SAMPLE_MEMBERSHIPS, type PlatformFault } from '../../testing/platform/index.js';
import { AuthModule } from '../auth.module.js';
import { systemDeviceName, type AuthModuleOptions } from '../auth.settings.js';
import { CredentialStore } from '../credentials/credential.store.js';
import { createState, loginUrl } from './browser.login.js';
import type { BrowserOutcome } from './browser-opener.js';
import type { LoginEvent } from './login-events.js';
import { LoginService } from './login.service.js';

const VERIFY = 'GET /api/cli/verify';

describe('LoginService', () => {
  let platform: PlatformEmulator;
  let configDir: string;
  let module: TestingModule | null = null;
  let events: LoginEvent[];

  beforeAll(async () => {
    Logger.overrideLogger(false);
  });

  beforeEach(async () => {
    platform = await PlatformEmulator.start({ device: { interval: 0.02 } });
    configDir = await mkdtemp(join(tmpdir(), 'osmosis-login-'));
    events = [];
  });

  afterEach(async () => {
    await module?.close();
    await platform.stop();
    await rm(configDir, { recursive: true, force: true });
  });

  const start = async (options: AuthModuleOptions = {}): Promise<LoginService> => {
    const auth = AuthModule.forRoot({ platformUrl: platform.url, configDir, deviceName: 'laptop', ...options });
    module = await Test.createTestingModule({ imports: [auth] }).compile();
    return module.get(LoginService);
  };

  const store = (): CredentialStore => (module as TestingModule).get(CredentialStore);
  const storedKeys = async (): Promise<string[]> => (await store().list()).map(({ key }) => key);
  const onEvent = (event: LoginEvent): void => void events.push(event);
  const address = (): URL => {
    const event = events.find(({ type }) => type === 'address');
    if (event?.type !== 'address') throw new Error('no address was announced');
    return new URL(event.url);
  };

  /** A browser in which somebody clicks: does what the page's form would. */
  const clicker = (membership: string) => {
    const pages: string[] = [];
    const open = async (url: string): Promise<BrowserOutcome> => {
      const query = new URL(url).searchParams;
      const body = new URLSearchParams({ ...Object.fromEntries(query), membership }).toString();
      const { headers } = await request(`${platform.url}/cli-auth`, { method: 'POST', body });
      void request(String(headers.location))
        .then(async (answer) => pages.push(`${answer.statusCode} ${await answer.body.text()}`))
        .catch(() => {});
      return { opened: true };
    };
    return { open, pages };
  };

  describe('with a browser', () => {
    it('click, callback, verification, stored', async () => {
      const browser = clicker('user_ada@org_acme');
      const login = await start({ browser });
      const result = await login.withBrowser({ onEvent });
      expect(result).toMatchObject({
        workspace: 'Acme',
        user: { email: 'ada@example.com', name: 'Ada Example' },
        organization: { id: 'org_acme', role: 'owner' },
        revokedPreviousTokens: 0,
        credentialsPath: join(configDir, 'credentials.json'),
        movedAside: null,
        overriddenByEnvironment: false,
      });
      expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(['address', 'browser', 'verifying']));
      await until(() => browser.pages.length > 0);
      expect(browser.pages[0]).toMatch(/^200 [^]*Login successful/);
      const active = await store().active();
      expect(active?.credentials?.accessToken.reveal()).toBe(platform.records.tokens[0]?.token);
      expect(active?.credentials).toMatchObject({ tokenType: 'Bearer', platformUrl: platform.url });
    });

    it('G-E: counts the tokens that the platform revoked', async () => {
      const login = await start({ browser: clicker('user_ada@org_acme') });
      await login.withBrowser();
      expect((await login.withBrowser()).revokedPreviousTokens).toBe(1);
      expect(await storedKeys()).toEqual(['Acme']);
    });

    it('the address comes first and carries the port that is listened on (CL-01, CL-04)', async () => {
      const login = await start({ browser: clicker('user_ada@org_acme') });
      await login.withBrowser({ onEvent });
      expect(events[0]?.type).toBe('address');
      const query = address().searchParams;
      expect([...query.keys()]).toEqual(['state', 'port', 'device_name', 'redirect_uri']);
      expect(query.get('redirect_uri')).toBe(`http://localhost:${query.get('port')}/callback`);
      expect(query.get('device_name')).toBe('laptop');
    });

    it('CL-04: a browser that does not open is one event, and the login goes on', async () => {
      const login = await start({ browser: { open: async () => ({ opened: false, reason: 'no display' }) } });
      const running = login.withBrowser({ onEvent });
      await until(() => events.length >= 2);
      expect(events[1]).toEqual({ type: 'browser', opened: false, reason: 'no display' });
      await clicker('user_bo@org_acme_2').open(address().href);
      await expect(running).resolves.toMatchObject({ workspace: 'Acme', user: { email: 'bo@example.com' } });
    });

    it('an opener that breaks does not end the login', async () => {
      const login = await start({ browser: { open: () => Promise.reject(new Error('kaput')) } });
      const running = login.withBrowser({ onEvent, timeoutMs: 300 });
      await expect(running).rejects.toMatchObject({ message: expect.stringContaining('timed out') });
      expect(events[1]).toEqual({ type: 'browser', opened: false, reason: 'kaput' });
    });

    it('G-E: without a browser none is touched', async () => {
      const open = jest.fn();
      const login = await start({ browser: { open } });
      const running = login.withBrowser({ openBrowser: false, onEvent });
      await until(() => events.length > 0);
      await clicker('user_ada@org_labs').open(address().href);
      expect((await running).workspace).toBe('Labs');
      expect(open).not.toHaveBeenCalled();
    });

    it('CL-05: a denial ends the login at once', async () => {
      const browser = clicker('');
      const login = await start({ browser });
      await expect(login.withBrowser()).rejects.toMatchObject({
        code: 'LOGIN_FAILED',
        exitCode: 1,
        message: 'Authentication failed: The login was denied.',
      });
      await until(() => browser.pages.length > 0);
      expect(browser.pages[0]).toMatch(/^400 [^]*Login failed/);
      expect(await store().list()).toEqual([]);
    });

    it('a forged state changes nothing (H 20)', async () => {
      const login = await start({ browser: { open: async () => ({ opened: true }) } });
      const running = login.withBrowser({ onEvent });
      await until(() => events.length > 0);
      const forged = await request(
        `http://localhost:${address().searchParams.get('port')}/callback?error=x&state=evil`,
      );
      await forged.body.dump();
      expect(forged.statusCode).toBe(400);
      await clicker('user_ada@org_acme').open(address().href);
      await expect(running).resolves.toMatchObject({ workspace: 'Acme' });
    });

    it('gives up after the time-out', async () => {
      const login = await start();
      await expect(login.withBrowser({ openBrowser: false, timeoutMs: 100 })).rejects.toMatchObject({
        code: 'LOGIN_FAILED',
        message: expect.stringContaining('timed out: nobody finished it within 0.1 s'),
      });
    });

    it('can be cancelled', async () => {
      const login = await start();
      const signal = AbortSignal.timeout(50);
      await expect(login.withBrowser({ openBrowser: false, signal })).rejects.toMatchObject({ code: 'CANCELLED' });
    });

    it('two at once each get their own port', async () => {
      const login = await start({ browser: clicker('user_ada@org_acme') });
      const other = await start({ browser: clicker('user_bo@org_acme_2') });
      await Promise.all([login.withBrowser({ onEvent }), other.withBrowser({ onEvent })]);
      const ports = events.flatMap((event) => (event.type === 'address' ? [event.port] : []));
      expect(new Set(ports).size).toBe(2);
      expect((await storedKeys()).sort()).toHaveLength(2);
    });

    describe('CL-09: what the platform does not vouch for is not stored, and the browser is told', () => {
      it.each<[string, PlatformFault, RegExp]>([
        ['401', { status: 401 }, /does not accept the login/],
        ['500', { status: 500 }, /HTTP 500/],
        ['HTML', { status: 200, body: '<html>' }, /no JSON/],
        ['valid: false', { status: 200, body: '{"valid":false}' }, /not valid/],
        ['a naive expiry', { status: 200, body: '{"valid":true,"expires_at":"2099-01-01T00:00:00"}' }, /UTC offset/],
        ['a broken connection', { reset: true }, /Cannot reach the platform/],
      ])('%s', async (_name, fault, message) => {
        platform.failNext(VERIFY, fault, fault, fault);
        const browser = clicker('user_ada@org_acme');
        const login = await start({ browser });
        await expect(login.withBrowser()).rejects.toMatchObject({
          name: 'LoginError',
          exitCode: 1,
          message: expect.stringMatching(message),
        });
        await until(() => browser.pages.length > 0);
        expect(browser.pages[0]).toMatch(/^400 [^]*Login failed/);
        expect(await store().list()).toEqual([]);
      });
    });

    it('CL-19: says before anybody is sent to a browser that nothing could be stored', async () => {
      const open = jest.fn();
      const login = await start({ browser: { open }, configDir: '/dev/null/osmosis' });
      await expect(login.withBrowser({ onEvent })).rejects.toMatchObject({ code: 'CREDENTIALS_UNAVAILABLE' });
      expect(events).toEqual([]);
    });
  });

  describe('with a device code', () => {
    const approve = (userCode: string, membership: string) =>
      request(`${platform.url}/device`, {
        method: 'POST',
        body: new URLSearchParams({ user_code: userCode, membership }).toString(),
      }).then(({ body }) => body.dump());

    const answering = (membership: string) => (event: LoginEvent) => {
      events.push(event);
      if (event.type === 'device-code') void approve(event.userCode, membership);
    };

    it('code, approval elsewhere, verification, stored', async () => {
      const login = await start();
      const result = await login.withDeviceCode({ onEvent: answering('user_ada@org_labs') });
      expect(result).toMatchObject({ workspace: 'Labs', organization: { role: 'admin' } });
      expect(events[0]).toMatchObject({
        type: 'device-code',
        userCode: expect.stringMatching(/^[A-Z]{4}-[A-Z]{4}$/),
        verificationUri: `${platform.url}/device`,
      });
    });

    it('a denial and an expiry have their own words', async () => {
      const login = await start();
      await expect(login.withDeviceCode({ onEvent: answering('') })).rejects.toMatchObject({
        code: 'LOGIN_FAILED',
        message: expect.stringContaining('denied'),
      });
      platform.failNext('POST /api/cli/device/token', { status: 400, body: '{"error":"expired_token"}' });
      await expect(login.withDeviceCode()).rejects.toMatchObject({ message: expect.stringContaining('ran out') });
    });

    it.each([426, 429, 500])('HTTP %i ends the polling (spec 0.3, 5.3)', async (status) => {
      const login = await start();
      platform.failNext('POST /api/cli/device/token', { status });
      await expect(login.withDeviceCode()).rejects.toMatchObject({
        message: expect.stringContaining(`HTTP ${status}`),
      });
    });

    it('slows down when asked, by 5 s up to 30 s, also for a broken connection', async () => {
      const waits: number[] = [];
      let now = 0;
      const clock = {
        now: () => Date.now(),
        monotonic: () => now,
        after(delayMs: number, callback: () => void) {
          const timer = { stop: () => {} };
          if (delayMs > 600_000) return timer;
          waits.push(delayMs);
          now += delayMs;
          setImmediate(callback);
          return timer;
        },
      };
      const slow: PlatformFault = { status: 400, body: '{"error":"slow_down"}' };
      platform.failNext('POST /api/cli/device/token', slow, { reset: true }, slow, slow, slow, slow, slow, slow);
      const login = await start({ clock });
      await login.withDeviceCode({
        onEvent: (event) => {
          if (event.type !== 'device-code') return;
          const device = platform.records.devices[0];
          const [membership] = SAMPLE_MEMBERSHIPS;
          if (device && membership) device.state = { membership };
        },
      });
      expect(waits.slice(0, 9)).toEqual([20, 5_020, 10_020, 15_020, 20_020, 25_020, 30_000, 30_000, 30_000]);
    });
  });

  describe('with a token', () => {
    it('NT-15: white space around it is dropped; a control character within is refused without being shown', async () => {
      const login = await start();
      await expect(login.withToken(`${platform.issue().token}\r\n`)).resolves.toMatchObject({ workspace: 'Acme' });
      const attempt = login.withToken('SECRET\n7f3a');
      await expect(attempt).rejects.toMatchObject({ code: 'LOGIN_FAILED' });
      await expect(attempt).rejects.not.toMatchObject({ message: expect.stringContaining('SECRET') });
      await expect(login.withToken(' \n')).rejects.toMatchObject({ message: expect.stringContaining('No token') });
    });

    it('says when OSMOSIS_TOKEN still decides', async () => {
      const login = await start({ env: { OSMOSIS_TOKEN: 'x' } });
      expect((await login.withToken(platform.issue().token)).overriddenByEnvironment).toBe(true);
    });
  });

  describe('what a new login takes the place of', () => {
    const token = (index: number): string =>
      platform.issue({ membership: SAMPLE_MEMBERSHIPS[index], deviceName: `device ${index}` }).token;
    const revoked = (): boolean[] => platform.records.tokens.map((issued) => issued.revoked);

    it('only the login of the same workspace, whose old token is revoked after the new one is stored', async () => {
      const login = await start();
      await login.withToken(token(0));
      await login.withToken(token(1));
      expect((await login.withToken(token(0))).revokedPreviousTokens).toBe(1);
      expect(revoked()).toEqual([true, false, false]);
      expect(await storedKeys()).toEqual(['Acme', 'Labs']);
    });

    it('H 17: force replaces the active login, and no other', async () => {
      const login = await start();
      await login.withToken(token(0));
      await login.withToken(token(1));
      await login.withToken(token(2), { force: true });
      expect(await storedKeys()).toEqual(['Acme', 'Acme (org_acme_2)']);
      expect(revoked()).toEqual([false, true, false]);
    });

    it('H 17: force touches nothing when the new login fails', async () => {
      const login = await start();
      await login.withToken(token(0));
      const before = await readFile(join(configDir, 'credentials.json'), 'utf8');
      await expect(login.withToken('wrong', { force: true })).rejects.toMatchObject({ code: 'LOGIN_FAILED' });
      expect(await readFile(join(configDir, 'credentials.json'), 'utf8')).toBe(before);
    });

    it('a token that cannot be stored is revoked', async () => {
      const login = await start();
      jest.spyOn(store(), 'save').mockRejectedValueOnce(new Error('disk full'));
      await expect(login.withToken(token(0))).rejects.toThrow('disk full');
      expect(revoked()).toEqual([true]);
    });

    it('H 18: an unreadable file is moved aside and reported', async () => {
      const login = await start();
      await writeFile(join(configDir, 'credentials.json'), 'not json', { mode: 0o600 });
      const { movedAside } = await login.withToken(token(0), { force: true });
      expect(movedAside).toBe(join(configDir, 'credentials.json.bak'));
      expect(await storedKeys()).toEqual(['Acme']);
    });
  });

  describe('details', () => {
    it('G-E: states are long, URL-safe and never the same', () => {
      const states = Array.from({ length: 50 }, createState);
      expect(new Set(states).size).toBe(50);
      expect(states.every((state) => /^[A-Za-z0-9_-]{43}$/.test(state))).toBe(true);
    });

    it('G-E: the device is called by its host name, or Unknown', () => {
      expect(systemDeviceName(() => 'laptop')).toBe('laptop');
      expect(systemDeviceName(() => '')).toBe('Unknown');
      expect(
        systemDeviceName(() => {
          throw new Error('no name');
        }),
      ).toBe('Unknown');
    });

    it('E.3: the address is form-encoded', () => {
      const url = loginUrl({ platformUrl: 'https://p.example', state: 's', port: 8976, deviceName: 'my laptop' });
      expect(url).toBe(
        'https://p.example/cli-auth?state=s&port=8976&device_name=my+laptop&redirect_uri=http%3A%2F%2Flocalhost%3A8976%2Fcallback',
      );
    });
  });
});
