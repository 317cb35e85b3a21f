import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Secret } from '#domain';
import { CredentialsInvalidError, CredentialsVersionError } from '../auth.error.js';
import { CredentialDocument } from './credential-document.js';
import type { Credentials } from './credentials.js';

const golden = (name: string): string => readFileSync(join(__dirname, 'golden', name), 'utf8');

const secret = (text: string): Secret => {
  const value = Secret.from(text);
  if (!value) throw new TypeError('no secret');
  return value;
};

const login = (overrides: Partial<Credentials> = {}): Credentials => ({
  accessToken: secret('tok-new'),
  tokenType: 'Bearer',
  expiresAt: new Date('2031-09-01T00:00:00Z'),
  createdAt: new Date('2031-06-01T00:00:00Z'),
  user: { id: 'user_2', email: 'bo@example.com', name: null },
  organization: { id: 'org_9', name: 'Acme', role: 'admin' },
  tokenId: 'id-new',
  platformUrl: 'https://platform.osmosis.ai',
  ...overrides,
});

describe('CredentialDocument', () => {
  describe('files of the Python SDK (golden)', () => {
    it('reads them', () => {
      const [acme, labs] = CredentialDocument.parse(golden('python-sdk.json')).list();
      expect(acme).toMatchObject({
        key: 'Acme',
        active: true,
        problem: null,
        credentials: { tokenId: 'id-acme', platformUrl: null, organization: { id: 'org_1', role: 'owner' } },
      });
      expect(acme?.credentials?.expiresAt.toISOString()).toBe('2031-05-01T12:00:00.123Z');
      expect(labs?.credentials).toMatchObject({ tokenId: null, createdAt: null });
      expect(labs?.credentials?.expiresAt.toISOString()).toBe('2031-06-01T12:00:00.000Z');
    });

    it('adds a login and leaves every other byte of meaning as it was', () => {
      const { document } = CredentialDocument.parse(golden('python-sdk.json')).withLogin(login());
      expect(document.toText()).toBe(golden('after-login.json'));
    });

    it('gives back the original after the added login is removed again', () => {
      const document = CredentialDocument.parse(golden('after-login.json')).without(['Acme (org_9)']);
      expect(document.toText()).toBe(golden('python-sdk.json'));
    });

    it('G-E: a round trip keeps the expiry, with its offset', () => {
      const written = CredentialDocument.empty.withLogin(login()).document.toText();
      expect(written).toContain('"expires_at": "2031-09-01T00:00:00.000+00:00"');
      const [read] = CredentialDocument.parse(written).list();
      expect(read?.credentials).toEqual(login());
      expect(read?.credentials?.accessToken.reveal()).toBe('tok-new');
    });
  });

  describe('keys', () => {
    const keys = (document: CredentialDocument): string[] => document.list().map(({ key }) => key);

    it('two organisations of one name stand side by side', () => {
      const first = CredentialDocument.empty.withLogin(
        login({ organization: { id: 'a', name: 'Acme', role: 'member' } }),
      );
      const second = first.document.withLogin(login({ organization: { id: 'b', name: 'Acme', role: 'member' } }));
      expect(keys(second.document)).toEqual(['Acme', 'Acme (b)']);
      const again = second.document.withLogin(login({ organization: { id: 'b', name: 'Acme', role: 'owner' } }));
      expect(keys(again.document)).toEqual(['Acme', 'Acme (b)']);
      expect(again.document.find('Acme (b)')?.credentials?.organization.role).toBe('owner');
    });

    it('one organisation id on two platforms is two workspaces', () => {
      const first = CredentialDocument.empty.withLogin(login({ platformUrl: 'https://a.example' }));
      const second = first.document.withLogin(login({ platformUrl: 'https://b.example' }));
      const third = second.document.withLogin(login({ platformUrl: 'https://c.example' }));
      expect(keys(third.document)).toEqual(['Acme', 'Acme (org_9)', 'Acme (org_9) 2']);
    });

    it('a renamed organisation keeps its entry and gets its new name', () => {
      const { document } = CredentialDocument.empty.withLogin(login());
      const renamed = document.withLogin(login({ organization: { id: 'org_9', name: 'Acme Ltd', role: 'admin' } }));
      expect(keys(renamed.document)).toEqual(['Acme Ltd']);
      expect(renamed.document.activeKey).toBe('Acme Ltd');
    });

    it('an organisation without a name is never filed under an empty one', () => {
      const nameless = (id: string, email: string): string =>
        CredentialDocument.empty.withLogin(
          login({ organization: { id, name: '', role: 'member' }, user: { id: '', email, name: null } }),
        ).key;
      expect(nameless('org_1', 'a@b.c')).toBe('org_1');
      expect(nameless('', 'a@b.c')).toBe('a@b.c');
      expect(nameless('', '')).toBe('default');
    });

    it('a workspace may be called __proto__', () => {
      const { document } = CredentialDocument.empty.withLogin(
        login({ organization: { id: 'x', name: '__proto__', role: 'member' } }),
      );
      expect(keys(CredentialDocument.parse(document.toText()))).toEqual(['__proto__']);
    });
  });

  it('keeps fields it does not know, on every level, and drops a token id that is no longer right', () => {
    const file = JSON.parse(golden('python-sdk.json')) as { workspaces: Record<string, Record<string, unknown>> };
    const acme = file.workspaces.Acme;
    Object.assign(file, { theme: 'dark' });
    Object.assign(acme ?? {}, { scopes: ['a'], user: { id: 'user_1', email: 'x', name: null, avatar: 'u' } });
    const fresh = login({ organization: { id: 'org_1', name: 'Acme', role: 'owner' }, tokenId: null });
    const written = CredentialDocument.parse(JSON.stringify(file)).withLogin(fresh).document.toText();
    const read = JSON.parse(written);
    expect(read.theme).toBe('dark');
    expect(read.workspaces.Acme).toMatchObject({ scopes: ['a'], access_token: 'tok-new', user: { avatar: 'u' } });
    expect(read.workspaces.Acme).not.toHaveProperty('token_id');
  });

  it('E.2: when the active entry goes, the first that remains becomes active, or none', () => {
    const document = CredentialDocument.parse(golden('python-sdk.json'));
    expect(document.without(['Acme']).activeKey).toBe('Labs');
    expect(document.without(['Labs']).activeKey).toBe('Acme');
    expect(document.without(['Acme', 'Labs']).activeKey).toBeNull();
    expect(document.without(['Nobody'])).toBe(document);
  });

  describe('files that cannot be used', () => {
    it.each([
      ['text', 'SECRET-7f3a no json', /no valid JSON \(at character 0\)/],
      ['a cut file', '{"workspaces": {"Acme": {"access_token": "SECRET-7f3a', /no valid JSON/],
      ['an empty file', '', /no valid JSON/],
      ['a list', '["SECRET-7f3a"]', /no JSON object/],
      ['null', 'null', /no JSON object/],
      ['a list of workspaces', '{"workspaces": ["SECRET-7f3a"]}', /workspaces are no JSON object/],
      ['a textual version', '{"version": "1"}', /version is no number/],
    ])('%s is refused without being quoted', (_name, text, message) => {
      const error = caught(() => CredentialDocument.parse(text));
      expect(error).toBeInstanceOf(CredentialsInvalidError);
      expect(error).toMatchObject({ message: expect.stringMatching(message) });
      expect(error).not.toHaveProperty('cause');
      expect(String(error)).not.toContain('SECRET');
    });

    it('a newer version is refused, not guessed at', () => {
      const error = caught(() => CredentialDocument.parse('{"version": 2, "platforms": {}}'));
      expect(error).toBeInstanceOf(CredentialsVersionError);
      expect(String(error)).toContain('version 2');
    });

    it.each([
      ['no object', 17, 'it is no JSON object'],
      ['no token', { expires_at: '2031-01-01T00:00:00Z' }, 'access_token is missing or empty'],
      ['NT-15: a broken token', { access_token: 'a\nb', expires_at: '2031-01-01T00:00:00Z' }, 'control character'],
      ['G-E, CL-20: a naive expiry', { access_token: 'a', expires_at: '2031-01-01T00:00:00' }, 'no UTC offset'],
      ['an expiry that is no time', { access_token: 'a', expires_at: 'soon' }, 'no ISO-8601 time'],
      ['no expiry', { access_token: 'a' }, 'expires_at is missing'],
    ])('an entry with %s is listed with its problem and harms no other', (_name, entry, problem) => {
      const good = JSON.parse(golden('python-sdk.json')).workspaces.Acme;
      const [bad, fine] = CredentialDocument.parse(JSON.stringify({ workspaces: { Bad: entry, Acme: good } })).list();
      expect(bad).toMatchObject({ key: 'Bad', credentials: null, problem: expect.stringContaining(problem) });
      expect(fine?.credentials?.tokenId).toBe('id-acme');
    });

    it('NT-15: white space around a token is dropped', () => {
      const text = '{"workspaces": {"A": {"access_token": "tok\\r\\n", "expires_at": "2031-01-01T00:00:00Z"}}}';
      expect(CredentialDocument.parse(text).list()[0]?.credentials?.accessToken.reveal()).toBe('tok');
    });
  });
});

function caught(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}
