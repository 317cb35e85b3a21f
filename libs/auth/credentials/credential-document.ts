import { JsonDepthError, JsonSyntaxError, readJsonText } from '#domain';
import { CredentialsInvalidError, CredentialsVersionError } from '../auth.error.js';
import { readEntry, writeEntry } from './credential-entry.js';
import type { Credentials, StoredWorkspace } from './credentials.js';
import { isJsonObject, type JsonObject } from './json-shape.js';

/** The version this program writes, and the newest it reads (spec E.1). */
export const CREDENTIALS_VERSION = 1;

/**
 * The credentials file as a value: reading and changing, no disk. Everything that stands in the file and is not being
 * changed is handed on as it was read, known or not. Entries are kept in a Map, because a workspace may bear any name,
 * `__proto__` included.
 */
export class CredentialDocument {
  static readonly empty = new CredentialDocument({}, new Map(), null);

  private constructor(
    private readonly rest: JsonObject,
    private readonly entries: ReadonlyMap<string, unknown>,
    readonly activeKey: string | null,
  ) {}

  /**
   * @throws CredentialsVersionError for a file of a newer program, CredentialsInvalidError for one that cannot be read.
   * The message is a phrase ("it …") without any of the file's content.
   */
  static parse(text: string): CredentialDocument {
    const file = parseJson(text.replace(/^\uFEFF/, ''));
    if (!isJsonObject(file)) throw new CredentialsInvalidError('it holds no JSON object');
    const { version = CREDENTIALS_VERSION, active_workspace: active, workspaces = {}, ...rest } = file;
    if (typeof version !== 'number') throw new CredentialsInvalidError('its version is no number');
    if (version > CREDENTIALS_VERSION) {
      throw new CredentialsVersionError(
        `it has version ${version}, written by a newer program; this one reads up to version ${CREDENTIALS_VERSION}`,
      );
    }
    if (!isJsonObject(workspaces)) throw new CredentialsInvalidError('its workspaces are no JSON object');
    return new CredentialDocument(
      rest,
      new Map(Object.entries(workspaces)),
      typeof active === 'string' ? active : null,
    );
  }

  list(): StoredWorkspace[] {
    return [...this.entries].map(([key, entry]) => {
      const reading = readEntry(entry);
      const active = key === this.activeKey;
      return 'problem' in reading
        ? { key, active, credentials: null, problem: reading.problem }
        : { key, active, credentials: reading.credentials, problem: null };
    });
  }

  find(key: string): StoredWorkspace | null {
    return this.list().find((workspace) => workspace.key === key) ?? null;
  }

  /**
   * With the login added, or put in the place of the one for the same organisation, and made active. The key is the
   * organisation's name (spec E.2) unless another organisation already has it.
   */
  withLogin(credentials: Credentials): { readonly document: CredentialDocument; readonly key: string } {
    const workspaces = this.list();
    const previous = workspaces.find((workspace) => isSameWorkspace(workspace, credentials));
    const taken = new Set(workspaces.map(({ key }) => key).filter((key) => key !== previous?.key));
    const key = uniqueKey(credentials, taken);
    const written = writeEntry(credentials, previous && this.entries.get(previous.key));
    const entries = previous
      ? new Map([...this.entries].map(([name, entry]) => (name === previous.key ? [key, written] : [name, entry])))
      : new Map(this.entries).set(key, written);
    return { document: new CredentialDocument(this.rest, entries, key), key };
  }

  withActive(key: string): CredentialDocument {
    return this.entries.has(key) ? new CredentialDocument(this.rest, this.entries, key) : this;
  }

  /** Without these entries. When the active one goes, the first that remains becomes active (spec E.2). */
  without(keys: Iterable<string>): CredentialDocument {
    const entries = new Map(this.entries);
    for (const key of keys) entries.delete(key);
    if (entries.size === this.entries.size) return this;
    const active = this.activeKey !== null && entries.has(this.activeKey) ? this.activeKey : firstOf(entries.keys());
    return new CredentialDocument(this.rest, entries, active);
  }

  toText(): string {
    const file = {
      version: CREDENTIALS_VERSION,
      active_workspace: this.activeKey,
      workspaces: Object.fromEntries(this.entries),
      ...this.rest,
    };
    return `${JSON.stringify(file, null, 2)}\n`;
  }
}

/** Node's own message quotes the text, which holds tokens: say only where. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CredentialsInvalidError(`it is no valid JSON${jsonPlace(text)}`);
  }
}

function jsonPlace(text: string): string {
  try {
    readJsonText(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return ` (at character ${error.offset})`;
    if (error instanceof JsonDepthError) return ' (nested too deep)';
  }
  return '';
}

/**
 * The same organisation on the same platform. Entries of the Python SDK do not say their platform, and may lack the
 * organisation's id: then the name decides, as it does there.
 */
function isSameWorkspace({ key, credentials: stored }: StoredWorkspace, fresh: Credentials): boolean {
  if (!stored) return key === baseKey(fresh);
  if (stored.platformUrl !== null && fresh.platformUrl !== null && stored.platformUrl !== fresh.platformUrl)
    return false;
  if (stored.organization.id !== '' && fresh.organization.id !== '') {
    return stored.organization.id === fresh.organization.id;
  }
  return key === baseKey(fresh);
}

function baseKey({ organization, user }: Credentials): string {
  return organization.name || organization.id || user.email || 'default';
}

function uniqueKey(credentials: Credentials, taken: ReadonlySet<string>): string {
  const base = baseKey(credentials);
  if (!taken.has(base)) return base;
  const distinct = `${base} (${credentials.organization.id || credentials.user.email})`;
  let key = distinct;
  for (let number = 2; taken.has(key); number += 1) key = `${distinct} ${number}`;
  return key;
}

function firstOf(keys: Iterable<string>): string | null {
  for (const key of keys) return key;
  return null;
}
