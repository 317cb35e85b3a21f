import { spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, readdir, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Logger } from '@nestjs/common';
import { transformFile } from '@swc/core';
import { Secret } from '#domain';
import { resolveAuthSettings, type AuthModuleOptions } from '../auth.settings.js';
import { CredentialStore } from './credential.store.js';
import type { Credentials } from './credentials.js';

const login = (name: string, token = `tok-${name}`): Credentials => ({
  accessToken: Secret.from(token) as Secret,
  tokenType: 'Bearer',
  expiresAt: new Date('2099-01-01T00:00:00Z'),
  createdAt: null,
  user: { id: 'u', email: 'ada@example.com', name: null },
  organization: { id: `org-${name}`, name, role: 'member' },
  tokenId: `id-${name}`,
  platformUrl: null,
});

const storeFor = (options: AuthModuleOptions): CredentialStore => new CredentialStore(resolveAuthSettings(options));
const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);

describe('CredentialStore', () => {
  let home: string;
  let directory: string;
  let path: string;
  let store: CredentialStore;

  beforeAll(() => Logger.overrideLogger(false));

  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'osmosis-store-'));
    directory = join(home, '.config', 'osmosis');
    path = join(directory, 'credentials.json');
    store = storeFor({ env: { HOME: home } });
  });

  afterEach(() => rm(home, { recursive: true, force: true }));

  describe('where it is', () => {
    it.each<[string, AuthModuleOptions, string]>([
      ['the home directory', { env: { HOME: '/h' } }, '/h/.config/osmosis/credentials.json'],
      ['XDG_CONFIG_HOME', { env: { HOME: '/h', XDG_CONFIG_HOME: '/x' } }, '/x/osmosis/credentials.json'],
      [
        'a relative XDG_CONFIG_HOME, ignored',
        { env: { HOME: '/h', XDG_CONFIG_HOME: 'x' } },
        '/h/.config/osmosis/credentials.json',
      ],
      [
        'OSMOSIS_CONFIG_DIR',
        { env: { HOME: '/h', XDG_CONFIG_HOME: '/x', OSMOSIS_CONFIG_DIR: '/o' } },
        '/o/credentials.json',
      ],
      ['the option', { env: { OSMOSIS_CONFIG_DIR: '/o' }, configDir: '/c' }, '/c/credentials.json'],
    ])('%s', (_name, options, expected) => {
      expect(storeFor(options).path).toBe(expected);
    });
  });

  it('only the owner can enter the directory and read the file', async () => {
    await store.save(login('Acme'));
    expect([await modeOf(directory), await modeOf(path)]).toEqual(['700', '600']);
  });

  it('tightens its own directory, but not one that the user named', async () => {
    await mkdir(directory, { recursive: true });
    await chmod(directory, 0o755);
    await store.save(login('Acme'));
    expect(await modeOf(directory)).toBe('700');

    await chmod(home, 0o755);
    await storeFor({ configDir: home }).save(login('Acme'));
    expect([await modeOf(home), await modeOf(join(home, 'credentials.json'))]).toEqual(['755', '600']);
  });

  it('writes through a link', async () => {
    const elsewhere = join(home, 'dotfiles.json');
    await writeFile(elsewhere, '{}');
    await mkdir(directory, { recursive: true });
    await symlink(elsewhere, path);
    await store.save(login('Acme'));
    expect(await readFile(elsewhere, 'utf8')).toContain('tok-Acme');
    expect((await store.list()).map(({ key }) => key)).toEqual(['Acme']);
  });

  it('E.2: a saved login is the active one; another may be made so', async () => {
    await store.save(login('Acme'));
    await store.save(login('Labs'));
    expect((await store.active())?.key).toBe('Labs');
    expect(await store.setActive('Acme')).toBe(true);
    expect((await store.active())?.key).toBe('Acme');
    expect(await store.setActive('Nobody')).toBe(false);
    expect((await store.active())?.key).toBe('Acme');
  });

  it('says which login a new one took the place of', async () => {
    await store.save(login('Acme', 'old'));
    await store.save(login('Labs'));
    const replaced = async (options?: { inPlaceOf: string }): Promise<string[]> =>
      (await store.save(login('Acme', 'new'), options)).replaced.map(({ accessToken }) => accessToken.reveal());
    expect(await replaced()).toEqual(['old']);
    expect(await replaced({ inPlaceOf: 'Labs' })).toEqual(['tok-Labs']);
    expect((await store.list()).map(({ key }) => key)).toEqual(['Acme']);
  });

  describe('a file that cannot be understood', () => {
    beforeEach(() => mkdir(directory, { recursive: true }));

    it('is refused by reading and switching, and left as it is', async () => {
      await writeFile(path, 'no json');
      await expect(store.list()).rejects.toMatchObject({
        code: 'CREDENTIALS_INVALID',
        message: expect.stringContaining(`Cannot read ${path}: it is no valid JSON`),
      });
      await expect(store.setActive('Acme')).rejects.toMatchObject({ code: 'CREDENTIALS_INVALID' });
      expect(await readFile(path, 'utf8')).toBe('no json');
    });

    it('is moved aside by a login, never overwritten', async () => {
      for (const [broken, backup] of [
        ['first', `${path}.bak`],
        ['second', `${path}.bak.1`],
      ] as const) {
        await writeFile(path, broken, { mode: 0o644 });
        await store.assertWritable();
        expect((await store.save(login('Acme'))).movedAside).toBe(backup);
        expect([await readFile(backup, 'utf8'), await modeOf(backup)]).toEqual([broken, '600']);
      }
      expect(await readFile(`${path}.bak`, 'utf8')).toBe('first');
    });

    it('of a newer version is refused by everything, and left as it is', async () => {
      await writeFile(path, '{"version": 2}');
      for (const action of [
        () => store.list(),
        () => store.assertWritable(),
        () => store.save(login('Acme')),
        () => store.remove(),
      ]) {
        await expect(action()).rejects.toMatchObject({
          name: 'CredentialsVersionError',
          message: expect.stringMatching(/version 2.*Upgrade this program/),
        });
      }
      expect(await readdir(directory)).toEqual(['credentials.json']);
      expect(await readFile(path, 'utf8')).toBe('{"version": 2}');
    });
  });

  describe('CL-19: homes that cannot be written to', () => {
    it.each([
      ['missing', '/dev/null/home'],
      ['not writable', '/sys/home'],
    ])('%s: reading finds nobody; logging in says which directory, and how to choose another', async (_name, bad) => {
      const homeless = storeFor({ env: { HOME: bad } });
      expect(await homeless.list()).toEqual([]);
      await expect(homeless.assertWritable()).rejects.toMatchObject({
        code: 'CREDENTIALS_UNAVAILABLE',
        message: expect.stringMatching(new RegExp(`Cannot write ${bad}.*OSMOSIS_CONFIG_DIR`)),
      });
    });
  });

  describe('CL-11: many at once', () => {
    it('20 changes and 200 reads: every read parses, nothing is lost, no temporary file stays', async () => {
      await store.save(login('W0'));
      const changes = Array.from({ length: 20 }, async (_unused, number) => {
        const own = storeFor({ env: { HOME: home } });
        await own.save(login(`W${number}`));
        return own.setActive(`W${number}`);
      });
      const reads = Array.from({ length: 200 }, () => store.list());
      expect((await Promise.all(reads)).every((workspaces) => workspaces.length > 0)).toBe(true);
      expect(await Promise.all(changes)).toEqual(Array(20).fill(true));
      const workspaces = await store.list();
      expect(workspaces).toHaveLength(20);
      expect(workspaces.filter(({ active }) => active)).toHaveLength(1);
      expect(await readdir(directory)).toEqual(['credentials.json']);
    });

    it('20 processes logging in: all entries are there and the file is valid', async () => {
      const built = await buildAsPackage(join(home, 'package'), ['auth', 'domain']);
      const script = `
        import { Secret } from '#domain';
        import { CredentialStore } from '${built}/libs/auth/credentials/credential.store.js';
        import { resolveAuthSettings } from '${built}/libs/auth/auth.settings.js';
        const name = process.argv[2];
        await new CredentialStore(resolveAuthSettings({ env: process.env })).save({
          accessToken: Secret.from('tok-' + name), tokenType: 'Bearer', expiresAt: new Date('2099-01-01'), createdAt: null,
          user: { id: 'u', email: 'e', name: null }, organization: { id: 'org-' + name, name, role: 'member' },
          tokenId: null, platformUrl: null,
        });`;
      await writeFile(join(built, 'save.js'), script);
      const names = Array.from({ length: 20 }, (_unused, number) => `P${number}`);
      const codes = await Promise.all(names.map((name) => runNode([join(built, 'save.js'), name], { HOME: home })));
      expect(codes).toEqual(names.map(() => ({ code: 0, stderr: '' })));
      const workspaces = await store.list();
      expect(workspaces.map(({ key }) => key).sort()).toEqual([...names].sort());
      expect(workspaces.every(({ credentials }) => credentials !== null)).toBe(true);
      expect(await readdir(directory)).toEqual(['credentials.json']);
    }, 120_000);
  });

  it('takes over the lock of a process that was killed', async () => {
    await store.save(login('Acme'));
    await mkdir(`${path}.lock`);
    await utimes(`${path}.lock`, new Date(0), new Date(0));
    await store.save(login('Labs'));
    expect(await store.list()).toHaveLength(2);
  });
});

function runNode(
  args: readonly string[],
  env: Record<string, string>,
): Promise<{ code: number | null; stderr: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
    let stderr = '';
    child.stderr.on('data', (chunk) => (stderr += String(chunk)));
    child.once('close', (code) => resolve({ code, stderr }));
  });
}

/** Compiles rooms into a directory that Node runs as it would run the published package. */
async function buildAsPackage(target: string, rooms: readonly string[]): Promise<string> {
  const root = join(__dirname, '..', '..', '..');
  for (const room of rooms) {
    const source = join(root, 'libs', room);
    for (const name of await readdir(source, { recursive: true })) {
      if (!name.endsWith('.ts') || name.endsWith('.spec.ts')) continue;
      const { code } = await transformFile(join(source, name), {
        swcrc: false,
        configFile: false,
        jsc: {
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
          target: 'es2022',
        },
        module: { type: 'es6' },
      });
      const file = join(target, 'libs', room, name.replace(/\.ts$/, '.js'));
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, code);
    }
  }
  await writeFile(join(target, 'package.json'), '{"type": "module", "imports": {"#*": "./libs/*/index.js"}}');
  await symlink(join(root, 'node_modules'), join(target, 'node_modules'));
  return target;
}
