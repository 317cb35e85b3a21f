import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { Logger } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { chromium, type Browser, type Page } from 'playwright-core';
import { AuthModule, LoginService, WhoAmIService, type AuthModuleOptions, type LoginEvent } from '#auth';
import { PlatformEmulator } from '../libs/testing/platform/index.js';

/**
 * A real login: Chromium shows the platform's page and comes back to the callback. Where no Chromium is installed these
 * tests are skipped, and the output says so; in CI that is a failure (`apt-get install chromium`).
 */
const CHROMIUM = findChromium();
const suite = CHROMIUM !== null || process.env.CI === 'true' ? describe : describe.skip;
const SCREENSHOTS = process.env.OSMOSIS_SCREENSHOTS;

suite('login in Chromium', () => {
  let chrome: Browser;
  let platform: PlatformEmulator;
  let configDir: string;
  const modules: TestingModule[] = [];

  beforeAll(async () => {
    Logger.overrideLogger(false);
    if (CHROMIUM === null) throw new Error('No Chromium was found on PATH. Run: apt-get install chromium');
    chrome = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });
  }, 120_000);

  afterAll(() => chrome?.close());

  beforeEach(async () => {
    platform = await PlatformEmulator.start();
    configDir = await mkdtemp(join(tmpdir(), 'osmosis-e2e-login-'));
  });

  afterEach(async () => {
    await Promise.all(modules.splice(0).map((module) => module.close()));
    await Promise.all(chrome.contexts().map((context) => context.close()));
    await platform.stop();
    await rm(configDir, { recursive: true, force: true });
  });

  const start = async (options: AuthModuleOptions = {}): Promise<TestingModule> => {
    const auth = AuthModule.forRoot({ platformUrl: platform.url, configDir, ...options });
    const module = await Test.createTestingModule({ imports: [auth] }).compile();
    modules.push(module);
    return module;
  };

  /** Starts a login and opens its address in a new page, as the user would. */
  const begin = async (module: TestingModule, options: { colorScheme?: 'light' | 'dark'; timeoutMs?: number } = {}) => {
    const announced = deferred<Extract<LoginEvent, { type: 'address' }>>();
    const result = module.get(LoginService).withBrowser({
      openBrowser: false,
      timeoutMs: options.timeoutMs,
      onEvent: (event) => event.type === 'address' && announced.resolve(event),
    });
    result.catch(() => {});
    const { url, port } = await announced.promise;
    const context = await chrome.newContext({ colorScheme: options.colorScheme ?? 'light' });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => {
      // The browser reports the 400 of a failure page itself.
      if (message.type() === 'error' && !message.text().includes('favicon') && !message.text().includes('400')) {
        complaints.push(message.text());
      }
    });
    await page.goto(url);
    return { page, port, result, complaints };
  };

  const click = (page: Page, name: string) => page.getByRole('button', { name }).click();

  it.each(['light', 'dark'] as const)(
    'click, callback, verification, file on disk, whoami (%s)',
    async (colorScheme) => {
      const module = await start();
      const { page, result, complaints } = await begin(module, { colorScheme });
      await click(page, 'ada@example.com at Labs');
      await expect(result).resolves.toMatchObject({ workspace: 'Labs', organization: { role: 'admin' } });
      await page.getByRole('heading', { name: 'Login successful' }).waitFor();
      await page.getByRole('status').waitFor();

      expect(page.url()).toMatch(/^http:\/\/localhost:\d+\/callback$/);
      expect(complaints).toEqual([]);
      expect(await contrast(page)).toBeGreaterThan(4.5);
      if (SCREENSHOTS) await page.screenshot({ path: join(SCREENSHOTS, `login-success-${colorScheme}.png`) });

      const path = join(configDir, 'credentials.json');
      expect((await stat(path)).mode & 0o777).toBe(0o600);
      expect(JSON.parse(await readFile(path, 'utf8')).active_workspace).toBe('Labs');
      expect(await module.get(WhoAmIService).whoami({ verify: true })).toMatchObject({
        user: { email: 'ada@example.com' },
        verified: { organization: { id: 'org_labs' } },
      });
    },
  );

  it.each(['light', 'dark'] as const)(
    'CL-05: a denial is shown in the browser and ends the login (%s)',
    async (colorScheme) => {
      const { page, result } = await begin(await start(), { colorScheme });
      await click(page, 'Deny');
      await expect(result).rejects.toMatchObject({ code: 'LOGIN_FAILED', message: expect.stringContaining('denied') });
      await page.getByRole('alert').getByText('The login was denied').waitFor();
      expect(await contrast(page)).toBeGreaterThan(4.5);
      if (SCREENSHOTS) await page.screenshot({ path: join(SCREENSHOTS, `login-failed-${colorScheme}.png`) });
      expect(existsSync(join(configDir, 'credentials.json'))).toBe(false);
    },
  );

  it('CL-09: a token that the platform does not vouch for: no success in the browser', async () => {
    platform.failNext('GET /api/cli/verify', { status: 401 });
    const { page, result } = await begin(await start());
    await click(page, 'ada@example.com at Acme');
    await expect(result).rejects.toMatchObject({ code: 'LOGIN_FAILED' });
    await page.getByRole('heading', { name: 'Login failed' }).waitFor();
  });

  it('a time-out', async () => {
    const { result } = await begin(await start(), { timeoutMs: 1_500 });
    await expect(result).rejects.toMatchObject({ message: expect.stringContaining('timed out') });
  });

  it('H 20: another site that guesses the callback cannot end the login', async () => {
    const { page, port, result } = await begin(await start());
    const attacker = await (await chrome.newContext()).newPage();
    await attacker.goto(`http://localhost:${port}/callback?error=access_denied&state=guess`);
    await attacker.getByRole('heading', { name: 'Not this login' }).waitFor();
    await attacker.goto(`http://localhost:${port}/callback?token=evil&state=guess`);
    await click(page, 'ada@example.com at Labs');
    await expect(result).resolves.toMatchObject({ workspace: 'Labs' });
  });

  it('two logins at once', async () => {
    const first = await begin(await start());
    const second = await begin(await start());
    expect(first.port).not.toBe(second.port);
    await click(second.page, 'bo@example.com at Acme');
    await click(first.page, 'ada@example.com at Acme');
    const workspaces = await Promise.all([first.result, second.result]);
    expect(workspaces.map(({ workspace }) => workspace).sort()).toEqual([
      'Acme',
      expect.stringMatching(/^Acme \(org_/),
    ]);
  });

  it('CL-01: a port range that is taken', async () => {
    const taken = createServer();
    const first = await listen(taken);
    const callbackPorts = { first, last: first, anyOther: true };
    const { page, port, result } = await begin(await start({ callbackPorts }));
    expect(port).not.toBe(first);
    await click(page, 'ada@example.com at Labs');
    await expect(result).resolves.toMatchObject({ workspace: 'Labs' });
    await new Promise((resolve) => taken.close(resolve));
  });

  it('SSH without a browser: the code is typed on another machine', async () => {
    const module = await start({ env: {} });
    const announced = deferred<Extract<LoginEvent, { type: 'device-code' }>>();
    const result = module.get(LoginService).withDeviceCode({
      onEvent: (event) => event.type === 'device-code' && announced.resolve(event),
    });
    const { verificationUri, userCode } = await announced.promise;
    const page = await chrome.newPage();
    await page.goto(verificationUri);
    await page.getByLabel('Code shown on the device').fill(userCode.toLowerCase());
    await click(page, 'ada@example.com at Labs');
    await page.getByRole('heading', { name: 'Done' }).waitFor();
    await expect(result).resolves.toMatchObject({ workspace: 'Labs' });
  });
});

/** WCAG contrast of the page's least readable text against its card. */
function contrast(page: Page): Promise<number> {
  return page.evaluate(`(() => {
    const channels = (color) => color.match(/[\\d.]+/g).slice(0, 3).map((part) => {
      const value = Number(part) / 255;
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    const luminance = (color) => channels(color).reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0);
    const card = luminance(getComputedStyle(document.querySelector('main')).backgroundColor);
    return Math.min(...[...document.querySelectorAll('main h1, main p, main footer')].map((element) => {
      const text = luminance(getComputedStyle(element).color);
      return (Math.max(text, card) + 0.05) / (Math.min(text, card) + 0.05);
    }));
  })()`);
}

function deferred<Value>(): { promise: Promise<Value>; resolve: (value: Value) => void } {
  let resolve: (value: Value) => void = () => {};
  const promise = new Promise<Value>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : 0);
    });
  });
}

function findChromium(): string | null {
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
  const directories = (process.env.PATH ?? '').split(delimiter);
  const candidates = directories.flatMap((directory) => names.map((name) => join(directory, name)));
  return candidates.find((candidate) => existsSync(candidate)) ?? null;
}
