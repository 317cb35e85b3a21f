import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolveAuthSettings } from '../auth.settings.js';
import { CredentialStore } from './credential.store.js';
import { LoginResolver } from './login.resolver.js';

describe('LoginResolver', () => {
  let configDir: string;

  beforeEach(async () => {
    configDir = await mkdtemp(join(tmpdir(), 'osmosis-resolver-'));
  });

  afterEach(() => rm(configDir, { recursive: true, force: true }));

  const resolver = (env: Record<string, string> = {}): LoginResolver => {
    const settings = resolveAuthSettings({ configDir, env });
    return new LoginResolver(settings, new CredentialStore(settings));
  };

  const store = (entry: Record<string, unknown>): Promise<void> =>
    writeFile(
      join(configDir, 'credentials.json'),
      JSON.stringify({
        active_workspace: 'Acme',
        workspaces: { Acme: { access_token: 'SECRET-7f3a', expires_at: '2099-01-01T00:00:00Z', ...entry } },
      }),
      { mode: 0o600 },
    );

  it('takes the active workspace', async () => {
    await store({});
    const login = await resolver().require();
    expect(login).toMatchObject({ source: 'store', workspace: { key: 'Acme' } });
    expect(login.token.reveal()).toBe('SECRET-7f3a');
  });

  describe('CL-20: each way of not being logged in has its own message, without any network', () => {
    it.each<[string, Record<string, unknown> | null, string, RegExp]>([
      ['never logged in', null, 'AUTH_REQUIRED', /Not logged in\. Run 'osmosis login'/],
      [
        'expired',
        { expires_at: '2020-01-01T00:00:00Z' },
        'AUTH_EXPIRED',
        /'Acme' has run out \(expired \d+ days ago\)/,
      ],
      ['an expiry without zone', { expires_at: '2099-01-01T00:00:00' }, 'CREDENTIALS_INVALID', /no UTC offset/],
      [
        'another platform',
        { platform_url: 'https://other.example' },
        'AUTH_REQUIRED',
        /belongs to https:\/\/other\.example/,
      ],
    ])('%s', async (_name, entry, code, message) => {
      if (entry) await store(entry);
      const attempt = resolver().require();
      await expect(attempt).rejects.toMatchObject({ code, exitCode: 1, message: expect.stringMatching(message) });
      await expect(attempt).rejects.not.toMatchObject({ message: expect.stringContaining('SECRET') });
    });
  });

  describe('OSMOSIS_TOKEN', () => {
    it('is stronger than the store; NT-15: white space around it is dropped', async () => {
      await store({});
      const login = await resolver({ OSMOSIS_TOKEN: ' from-env\n' }).require();
      expect([login.source, login.token.reveal()]).toEqual(['environment', 'from-env']);
    });

    it('counts as unset when blank', async () => {
      expect(resolver({ OSMOSIS_TOKEN: ' ' }).isFromEnvironment).toBe(false);
    });

    it('NT-15: with a control character within is refused without being shown', async () => {
      const attempt = resolver({ OSMOSIS_TOKEN: 'SECRET\r\n7f3a' }).require();
      await expect(attempt).rejects.toMatchObject({ code: 'CREDENTIALS_INVALID' });
      await expect(attempt).rejects.not.toMatchObject({ message: expect.stringContaining('SECRET') });
    });

    it('goes to another platform only when it is said to be meant for it', async () => {
      const env = { OSMOSIS_TOKEN: 't', OSMOSIS_PLATFORM_URL: 'localhost:4000/' };
      await expect(resolver(env).require()).rejects.toMatchObject({
        message: expect.stringContaining('set OSMOSIS_TOKEN_PLATFORM_URL=http://localhost:4000'),
      });
      const bound = resolver({ ...env, OSMOSIS_TOKEN_PLATFORM_URL: 'http://localhost:4000' });
      await expect(bound.require()).resolves.toMatchObject({ source: 'environment' });
    });
  });
});
