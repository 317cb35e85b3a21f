import { createServer, type Server } from 'node:http';
import { request } from 'undici';
import type { CallbackPorts } from '../auth.settings.js';
import { CallbackServer } from './callback.server.js';

const STATE = 'right-state';
const ANY: CallbackPorts = { first: 0, last: -1, anyOther: true };

interface Page {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly text: string;
}

describe('CallbackServer', () => {
  let server: CallbackServer;
  const never = new AbortController().signal;

  const get = async (
    path: string,
    options: { host?: string; method?: 'GET' | 'HEAD' | 'POST' } = {},
  ): Promise<Page> => {
    const url = `http://${options.host ?? '127.0.0.1'}:${server.port}${path}`;
    const { statusCode, headers, body } = await request(url, { method: options.method ?? 'GET' });
    return { status: statusCode, headers, text: await body.text() };
  };

  describe('with any port', () => {
    beforeEach(async () => {
      server = await CallbackServer.open(ANY, STATE);
    });

    afterEach(() => server.close());

    it('CL-09: holds the browser until the outcome is known', async () => {
      let answered = false;
      const page = get(`/callback?token=SECRET-7f3a&state=${STATE}&revoked_count=2`).finally(() => (answered = true));
      const { token, revokedCount } = await server.wait(never);
      expect([token.reveal(), revokedCount, answered]).toEqual(['SECRET-7f3a', 2, false]);
      server.conclude(null);
      const { status, text } = await page;
      expect(status).toBe(200);
      expect(text).toContain('Login successful');
      expect(text).not.toContain('SECRET-7f3a');
    });

    it('CL-09: shows a failed verification', async () => {
      const page = get(`/callback?token=t&state=${STATE}`);
      await server.wait(never);
      server.conclude('the platform did not vouch for it');
      expect(await page).toMatchObject({ status: 400, text: expect.stringContaining('did not vouch for it') });
    });

    it('a reloaded page shows the same outcome, and its token changes nothing', async () => {
      const pages = [get(`/callback?token=first&state=${STATE}`)];
      const { token } = await server.wait(never);
      pages.push(get(`/callback?token=second&state=${STATE}`), get(`/callback?error=late&state=${STATE}`));
      await new Promise((resolve) => setTimeout(resolve, 50));
      server.conclude(null);
      expect((await Promise.all(pages)).map(({ status }) => status)).toEqual([200, 200, 200]);
      expect(token.reveal()).toBe('first');
    });

    it('CL-22: pages are escaped, not cached, and load nothing', async () => {
      const evil = encodeURIComponent('<img src=x onerror=alert(1)>');
      const page = get(`/callback?error=denied&error_description=${evil}&state=${STATE}`);
      const failure: unknown = await server.wait(never).catch((error: unknown) => error);
      server.conclude(failure instanceof Error ? failure.message : '');
      const { status, headers, text } = await page;
      expect(status).toBe(400);
      expect(text).toContain('&lt;img src=x onerror=alert(1)&gt;');
      expect(text).not.toContain('<img');
      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'content-security-policy': expect.stringMatching(
          /^default-src 'none'; style-src 'sha256-.*frame-ancestors 'none'$/,
        ),
      });
    });

    it('a description from outside brings no escape sequences to the terminal', async () => {
      const page = get(
        `/callback?error=x&error_description=${encodeURIComponent('no\u001b[2J\n thanks.')}&state=${STATE}`,
      );
      await expect(server.wait(never)).rejects.toMatchObject({
        code: 'LOGIN_FAILED',
        message: 'Authentication failed: no[2J thanks.',
      });
      server.conclude('no');
      await page;
    });

    it('a right state without a token ends the login', async () => {
      const page = get(`/callback?state=${STATE}`);
      await expect(server.wait(never)).rejects.toMatchObject({ message: expect.stringContaining('sent no token') });
      server.conclude('no');
      expect((await page).status).toBe(400);
    });

    it('whoever does not know the state is answered and ignored', async () => {
      const strangers = await Promise.all(
        [
          '/callback',
          '/callback?error=x',
          '/callback?token=evil&state=wrong',
          `/callback?token=evil&state=${STATE}x`,
        ].map((path) => get(path)),
      );
      expect(strangers.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
      expect(strangers[0]?.text).toContain('Not this login');
      const page = get(`/callback?token=good&state=${STATE}`);
      expect((await server.wait(never)).token.reveal()).toBe('good');
      server.conclude(null);
      expect((await page).status).toBe(200);
    });

    it('CL-07: what browsers ask besides changes nothing', async () => {
      const garbage = 'x'.repeat(10_000);
      const others = [
        await get('/favicon.ico'),
        await get('/'),
        await get('/callback', { method: 'HEAD' }),
        await get(`/callback?token=t&state=${STATE}`, { method: 'POST' }),
        await get(`/callback?${garbage}`),
        await get('/health'),
      ];
      expect(others.map(({ status }) => status)).toEqual([404, 404, 405, 405, 400, 200]);
      const page = get(`/callback?token=t&state=${STATE}`);
      await server.wait(never);
      server.conclude(null);
      await page;
      expect((await get('/favicon.ico')).status).toBe(404);
    });

    it('CL-03: answers over IPv4 and IPv6', async () => {
      expect((await get('/health', { host: '127.0.0.1' })).text).toBe('OK');
      expect((await get('/health', { host: '[::1]' })).text).toBe('OK');
    });

    it('ending the login in the terminal releases the browser', async () => {
      const page = get(`/callback?token=t&state=${STATE}`);
      await server.wait(never);
      await server.close();
      expect(await page).toMatchObject({ status: 400, text: expect.stringContaining('ended in the terminal') });
    });

    it('a signal ends the waiting', async () => {
      const reason = new Error('Ctrl-C');
      await expect(server.wait(AbortSignal.abort(reason))).rejects.toBe(reason);
    });
  });

  describe('CL-01: ports', () => {
    const occupied: Server[] = [];
    const occupy = async (host: string, port: number): Promise<number> => {
      const other = createServer();
      await new Promise<void>((resolve) => other.listen(port, host, resolve));
      occupied.push(other);
      const address = other.address();
      return typeof address === 'object' && address ? address.port : 0;
    };

    afterEach(async () => {
      await Promise.all(occupied.splice(0).map((other) => new Promise((resolve) => other.close(resolve))));
    });

    it.each(['127.0.0.1', '::1'])('a port taken on %s alone is passed over', async (host) => {
      const first = await occupy(host, 0);
      server = await CallbackServer.open({ first, last: first + 5, anyOther: false }, STATE);
      expect(server.port).toBeGreaterThan(first);
      await server.close();
    });

    it('a range that is taken: any other port, or an error that names the range', async () => {
      const first = await occupy('127.0.0.1', 0);
      const range = { first, last: first };
      server = await CallbackServer.open({ ...range, anyOther: true }, STATE);
      expect(server.port).not.toBe(first);
      await server.close();
      await expect(CallbackServer.open({ ...range, anyOther: false }, STATE)).rejects.toMatchObject({
        code: 'LOGIN_FAILED',
        message: expect.stringContaining(`no port from ${first} to ${first}`),
      });
    });

    it('H 21: a port is free again at once', async () => {
      // Below the ports that the system gives to others, and not where another run of the tests looks.
      const first = 10_000 + (process.pid % 20_000);
      server = await CallbackServer.open({ first, last: first + 100, anyOther: false }, STATE);
      const { port } = server;
      const page = get(`/callback?token=t&state=${STATE}`);
      await server.wait(never);
      await server.close();
      await page;
      server = await CallbackServer.open({ first: port, last: port, anyOther: false }, STATE);
      expect(server.port).toBe(port);
      await server.close();
    });
  });
});
