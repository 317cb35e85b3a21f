import { join } from 'node:path';
import { OsmosisError } from '#domain';
import type { AuthSettings } from '../auth.settings.js';
import { CredentialsInvalidError, CredentialsUnavailableError, CredentialsVersionError } from '../auth.error.js';
import { CredentialDocument } from './credential-document.js';
import type { Credentials, StoredWorkspace } from './credentials.js';
import { withFileLock } from './file-lock.js';
import {
  ensurePrivateDirectory,
  moveAside,
  probeWritable,
  readPrivateFile,
  systemCode,
  writePrivateFile,
} from './private-file.js';

export interface SavedLogin {
  /** Name of the entry in the file. */
  readonly key: string;
  /** The logins that the new one took the place of; their tokens are still valid on the platform. */
  readonly replaced: readonly Credentials[];
  /** Where an unreadable file was moved to, if there was one. */
  readonly movedAside: string | null;
}

export interface RemovedLogins {
  readonly removed: readonly StoredWorkspace[];
  readonly movedAside: string | null;
}

/**
 * The logins of this user on this machine: `credentials.json`, one entry a workspace, readable by and from the Python SDK
 * (spec E.2). Reading takes no lock and writes nothing (case CL-19); every change is one locked, atomic step.
 */
export class CredentialStore {
  #warnedOfExposure = false;

  constructor(private readonly settings: AuthSettings) {}

  /** Path of the file; null when there is no home directory to put it in. */
  get path(): string | null {
    const { directory } = this.settings.config;
    return directory === null ? null : join(directory, 'credentials.json');
  }

  /** @throws CredentialsInvalidError for a file that cannot be understood, CredentialsUnavailableError when not readable */
  async list(): Promise<StoredWorkspace[]> {
    const path = this.path;
    if (path === null) return [];
    try {
      return (await this.#read(path)).list();
    } catch (error) {
      throw explain(error, path, 'Cannot read');
    }
  }

  /** The active workspace, also when it has expired or cannot be used; null when there is none. */
  async active(): Promise<StoredWorkspace | null> {
    return (await this.list()).find(({ active }) => active) ?? null;
  }

  /**
   * Says early, before anybody is sent to a browser, that a login could not be stored.
   *
   * @throws CredentialsUnavailableError naming the directory and how to choose another, CredentialsVersionError
   */
  async assertWritable(): Promise<void> {
    const { directory, path } = await this.#prepare();
    try {
      await probeWritable(directory);
      await this.#read(path);
    } catch (error) {
      // An unreadable file is moved aside when the login is stored.
      if (error instanceof CredentialsInvalidError && !(error instanceof CredentialsVersionError)) return;
      throw explain(error, path, 'Cannot write');
    }
  }

  /** Adds the login, or replaces the one for the same organisation, and makes it active. */
  async save(credentials: Credentials, options: { readonly inPlaceOf?: string | null } = {}): Promise<SavedLogin> {
    return this.#change('move-aside', (document, movedAside) => {
      const { inPlaceOf } = options;
      const added = document.withLogin(credentials);
      const isElsewhere = inPlaceOf != null && inPlaceOf !== added.key;
      // Dropped first, so that the new login may bear the old one's name.
      const saved = isElsewhere ? document.without([inPlaceOf]).withLogin(credentials) : added;
      const kept = new Set(saved.document.list().map(({ credentials: login }) => login?.accessToken.reveal()));
      const replaced = document.list().flatMap(({ credentials: login }) => {
        return login && !kept.has(login.accessToken.reveal()) ? [login] : [];
      });
      return { document: saved.document, result: { key: saved.key, replaced, movedAside } };
    });
  }

  /** False when there is no such entry. */
  async setActive(key: string): Promise<boolean> {
    return this.#change('refuse', (document) => ({
      document: document.withActive(key),
      result: document.find(key) !== null,
    }));
  }

  /** Forgets these entries, all when none are named. Entries that are not there are no error. */
  async remove(keys?: readonly string[]): Promise<RemovedLogins> {
    return this.#change('move-aside', (document, movedAside) => {
      const removed = document.list().filter(({ key }) => keys?.includes(key) ?? true);
      return {
        document: document.without(removed.map(({ key }) => key)),
        result: { removed, movedAside },
      };
    });
  }

  async #change<Result>(
    onUnreadable: 'refuse' | 'move-aside',
    change: (
      document: CredentialDocument,
      movedAside: string | null,
    ) => { readonly document: CredentialDocument; readonly result: Result },
  ): Promise<Result> {
    const { path } = await this.#prepare();
    try {
      return await withFileLock(path, async (assertHeld) => {
        const [before, movedAside] = await this.#readForChange(path, onUnreadable);
        const { document, result } = change(before, movedAside);
        assertHeld();
        if (document !== before) await writePrivateFile(path, document.toText());
        return result;
      });
    } catch (error) {
      throw explain(error, path, 'Cannot write');
    }
  }

  async #readForChange(
    path: string,
    onUnreadable: 'refuse' | 'move-aside',
  ): Promise<[document: CredentialDocument, movedAside: string | null]> {
    try {
      return [await this.#read(path), null];
    } catch (error) {
      const hopeless = error instanceof CredentialsInvalidError && !(error instanceof CredentialsVersionError);
      if (!hopeless || onUnreadable === 'refuse') throw error;
      const backup = await moveAside(path);
      this.settings.log.warn(
        `${path} cannot be read: ${error.message}. It was kept as ${backup}; a new file is begun.`,
      );
      return [CredentialDocument.empty, backup];
    }
  }

  async #read(path: string): Promise<CredentialDocument> {
    const file = await readPrivateFile(path);
    if (!file) return CredentialDocument.empty;
    if (file.exposed && !this.#warnedOfExposure) {
      this.#warnedOfExposure = true;
      this.settings.log.warn(`Other users of this machine can read ${path}. Run: chmod 600 '${path}'`);
    }
    return CredentialDocument.parse(file.text);
  }

  /** Directory and path of the file, the directory made if need be. */
  async #prepare(): Promise<{ directory: string; path: string }> {
    const { directory, named } = this.settings.config;
    const path = this.path;
    if (directory === null || path === null) {
      throw new CredentialsUnavailableError(
        'There is no home directory to store the login in (HOME is not set). Set OSMOSIS_CONFIG_DIR to a directory.',
      );
    }
    try {
      await ensurePrivateDirectory(directory, !named);
    } catch (error) {
      throw explain(error, path, 'Cannot write');
    }
    return { directory, path };
  }
}

/** Says in full what was wrong with which file, and how to mend it. */
function explain(error: unknown, path: string, what: 'Cannot read' | 'Cannot write'): unknown {
  if (error instanceof CredentialsVersionError) {
    return new CredentialsVersionError(
      `${what} ${path}: ${error.message}. Upgrade this program, or set OSMOSIS_CONFIG_DIR to another directory.`,
    );
  }
  if (error instanceof CredentialsInvalidError) {
    return new CredentialsInvalidError(
      `${what} ${path}: ${error.message}. Mend the file, or run 'osmosis login': it keeps the file under another name and begins a new one.`,
    );
  }
  if (OsmosisError.is(error)) return error;
  const code = systemCode(error);
  if (code === null) return error;
  return new CredentialsUnavailableError(
    `${what} ${path} (${code}). Make its directory accessible, or set OSMOSIS_CONFIG_DIR to a directory that is.`,
    { cause: error, details: { path, systemCode: code } },
  );
}
