import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { PlatformEmulator, SAMPLE_MEMBERSHIPS } from '../../testing/platform/index.js';
import { AuthModule } from '../auth.module.js';
import { CredentialStore } from '../credentials/credential.store.js';
import { expiryInWords } from '../expiry-words.js';
import { LoginService } from '../login/login.service.js';
import { LogoutService } from './logout.service.js';
import { WhoAmIService } from './whoami.service.js';

describe('accounts', () => {
  let platform: PlatformEmulator;
  let configDir: string;
  const modules: TestingModule[] = [];

  beforeAll(() => Logger.overrideLogger(false));

  beforeEach(async () => {
    platform = await PlatformEmulator.start();
    configDir = await mkdtemp(join(tmpdir(), 'osmosis-account-'));
  });

  afterEach(async () => {
    await Promise.all(modules.splice(0).map((module) => module.close()));
    await platform.stop();
    await rm(configDir, { recursive: true, force: true });
  });

  const start = async (env: Record<string, string> = {}): Promise<TestingModule> => {
    const auth = AuthModule.forRoot({ platformUrl: platform.url, configDir, env });
    const module = await Test.createTestingModule({ imports: [auth] }).compile();
    modules.push(module);
    return module;
  };

  const logIn = async (module: TestingModule, ...indices: number[]): Promise<void> => {
    for (const index of indices) {
      await module.get(LoginService).withToken(platform.issue({ membership: SAMPLE_MEMBERSHIPS[index] }).token);
    }
    platform.calls.length = 0;
  };

  /** Lets a stored login have expired long ago, or changes it otherwise. */
  const edit = async (name: string, fields: Record<string, unknown>): Promise<void> => {
    const path = join(configDir, 'credentials.json');
    const file = JSON.parse(await readFile(path, 'utf8'));
    Object.assign(file.workspaces[name], fields);
    await writeFile(path, JSON.stringify(file));
  };

  describe('whoami', () => {
    it('nobody', async () => {
      const module = await start();
      expect(await module.get(WhoAmIService).whoami()).toEqual({
        source: null,
        platformUrl: platform.url,
        user: null,
        workspaces: [],
        verified: null,
      });
    });

    it('D.3: tells from the file alone, with the expiry in words and without tokens', async () => {
      const module = await start();
      await logIn(module, 0, 1);
      await edit('Acme', { expires_at: '2020-01-01T00:00:00Z' });
      const who = await module.get(WhoAmIService).whoami();
      expect(who).toMatchObject({
        source: 'store',
        user: { email: 'ada@example.com' },
        workspaces: [
          { name: 'Acme', active: false, state: 'expired', expiry: expect.stringMatching(/^expired \d+ days ago$/) },
          { name: 'Labs', active: true, state: 'valid', expiry: 'expires in 89 days', advice: null },
        ],
      });
      expect(who.workspaces[0]?.advice).toContain("Run 'osmosis login' to renew");
      expect(platform.calls).toEqual([]);
      expect(JSON.stringify(who)).not.toContain(platform.records.tokens[1]?.token);
    });

    it('asks the platform when told to; H 19: a 401 deletes nothing', async () => {
      const module = await start();
      await logIn(module, 1);
      const whoami = module.get(WhoAmIService);
      expect((await whoami.whoami({ verify: true })).verified).toMatchObject({ organization: { id: 'org_labs' } });
      for (const token of platform.records.tokens) token.revoked = true;
      await expect(whoami.whoami({ verify: true })).rejects.toMatchObject({ code: 'AUTH_REJECTED', exitCode: 1 });
      expect(await module.get(CredentialStore).list()).toHaveLength(1);
    });

    it('with OSMOSIS_TOKEN: whose it is, only the platform knows', async () => {
      const { token } = platform.issue();
      const env = { OSMOSIS_TOKEN: token, OSMOSIS_TOKEN_PLATFORM_URL: platform.url };
      const whoami = (await start(env)).get(WhoAmIService);
      expect(await whoami.whoami()).toMatchObject({ source: 'environment', user: null });
      expect(await whoami.whoami({ verify: true })).toMatchObject({ user: { email: 'ada@example.com' } });
    });
  });

  describe('logout', () => {
    const revoked = (): boolean[] => platform.records.tokens.map((token) => token.revoked);

    it('D.4: nothing stored is no error, and makes no directory', async () => {
      const module = await start();
      await rm(configDir, { recursive: true });
      expect((await module.get(LogoutService).logout()).results).toEqual([]);
      await expect(readdir(configDir)).rejects.toMatchObject({ code: 'ENOENT' });
    });

    it('H 17: revokes on the platform, then deletes here; others stay', async () => {
      const module = await start();
      await logIn(module, 0, 1);
      expect(await module.get(LogoutService).logout({ workspaces: ['Labs'] })).toMatchObject({
        results: [{ workspace: 'Labs', token: 'revoked', problem: null }],
        active: 'Acme',
      });
      expect(revoked()).toEqual([false, true]);
    });

    it('all: leaves a file with no workspaces', async () => {
      const module = await start();
      await logIn(module, 0, 1, 2);
      const { results } = await module.get(LogoutService).logout();
      expect(results.map(({ token }) => token)).toEqual(['revoked', 'revoked', 'revoked']);
      expect(JSON.parse(await readFile(join(configDir, 'credentials.json'), 'utf8'))).toEqual({
        version: 1,
        active_workspace: null,
        workspaces: {},
      });
    });

    it('deletes here also when the platform cannot be reached, and says that the token lives', async () => {
      const module = await start();
      await logIn(module, 0);
      platform.failNext('DELETE /api/cli/tokens/{id}', { status: 500 }, { status: 500 }, { status: 500 });
      const report = await module.get(LogoutService).logout();
      expect(report.results).toMatchObject([{ token: 'failed', problem: expect.stringContaining('HTTP 500') }]);
      expect(await module.get(CredentialStore).list()).toEqual([]);
    });

    it.each([
      ['a token the platform already forgot counts as revoked', { access_token: 'unknown' }, 'revoked'],
      ['an expired one is not worth a call', { expires_at: '2020-01-01T00:00:00Z' }, 'expired'],
      ['an entry that cannot be used is deleted all the same', { expires_at: 'soon' }, 'unknown'],
      ['one without a token id is asked for it (files of the Python SDK)', { token_id: undefined }, 'revoked'],
    ])('%s', async (_name, fields, token) => {
      const module = await start();
      await logIn(module, 0);
      await edit('Acme', fields);
      expect((await module.get(LogoutService).logout()).results).toEqual([{ workspace: 'Acme', token, problem: null }]);
      expect(await module.get(CredentialStore).list()).toEqual([]);
    });

    it('can leave the platform alone', async () => {
      const module = await start();
      await logIn(module, 0);
      expect((await module.get(LogoutService).logout({ revoke: false })).results).toMatchObject([{ token: 'kept' }]);
      expect(platform.calls).toEqual([]);
    });

    it('H 18: an unreadable file is moved aside', async () => {
      const module = await start();
      await writeFile(join(configDir, 'credentials.json'), 'oops', { mode: 0o600 });
      expect((await module.get(LogoutService).logout()).movedAside).toBe(join(configDir, 'credentials.json.bak'));
    });
  });

  it.each([
    [30_000, 'expires in less than a minute'],
    [60_000, 'expires in 1 minute'],
    [7_200_000, 'expires in 2 hours'],
    [86_400_000 * 3.9, 'expires in 3 days'],
    [0, 'expired less than a minute ago'],
    [-86_400_000, 'expired 1 day ago'],
  ])('an expiry %d ms away: %s', (leftMs, words) => {
    expect(expiryInWords(new Date(1_000_000 + leftMs), 1_000_000)).toBe(words);
  });
});
