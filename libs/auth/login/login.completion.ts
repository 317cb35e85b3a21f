import { OsmosisError, type Secret } from '#domain';
import { LoginError } from '../auth.error.js';
import type { AuthSettings } from '../auth.settings.js';
import type { CredentialStore, SavedLogin } from '../credentials/credential.store.js';
import type { Credentials, Organization, PlatformUser } from '../credentials/credentials.js';
import type { LoginResolver } from '../credentials/login.resolver.js';
import type { PlatformApi } from '../platform/platform.api.js';

/** A login that is verified and stored. */
export interface LoginResult {
  /** Name of the workspace in the store; it is now the active one. */
  readonly workspace: string;
  readonly user: PlatformUser;
  readonly organization: Organization;
  readonly expiresAt: Date;
  /** Earlier tokens that are now worthless: those the platform revoked by itself, and those that this login replaced. */
  readonly revokedPreviousTokens: number;
  readonly credentialsPath: string;
  /** Where an unreadable credentials file was moved to, if there was one. */
  readonly movedAside: string | null;
  /** `OSMOSIS_TOKEN` is set and still decides: the stored login is not used until it is unset. */
  readonly overriddenByEnvironment: boolean;
}

export interface CompletionOptions {
  /** The login that was active so far goes, whatever workspace it was for. */
  readonly force?: boolean;
  readonly revokedCount?: number;
  readonly signal?: AbortSignal;
}

const REVOCATION_TIMEOUT_MS = 5_000;

/** The last steps of every login: verify, store, and only then revoke what was replaced (spec 0.3, 5.3). */
export class LoginCompletion {
  constructor(
    private readonly settings: AuthSettings,
    private readonly api: PlatformApi,
    private readonly store: CredentialStore,
    private readonly logins: LoginResolver,
  ) {}

  /** @throws LoginError when the platform does not vouch for the token; nothing is stored then */
  async complete(token: Secret, options: CompletionOptions = {}): Promise<LoginResult> {
    const credentials = await this.#verify(token, options.signal);
    const saved = await this.#save(credentials, options.force ?? false);
    const revoked = await this.#revokeReplaced(saved, credentials);
    return {
      workspace: saved.key,
      user: credentials.user,
      organization: credentials.organization,
      expiresAt: credentials.expiresAt,
      revokedPreviousTokens: (options.revokedCount ?? 0) + revoked,
      credentialsPath: this.store.path ?? '',
      movedAside: saved.movedAside,
      overriddenByEnvironment: this.logins.isFromEnvironment,
    };
  }

  async #verify(token: Secret, signal?: AbortSignal): Promise<Credentials> {
    const { clock, platformUrl } = this.settings;
    try {
      const verified = await this.api.verify(token, { signal });
      return {
        ...verified,
        accessToken: token,
        tokenType: 'Bearer',
        createdAt: new Date(clock.now()),
        platformUrl,
      };
    } catch (error) {
      if (!OsmosisError.is(error) || error === signal?.reason) throw error;
      throw new LoginError(`The login could not be verified. ${error.message}`, { cause: error });
    }
  }

  async #save(credentials: Credentials, force: boolean): Promise<SavedLogin> {
    try {
      const inPlaceOf = force ? await this.#activeKey() : null;
      return await this.store.save(credentials, { inPlaceOf });
    } catch (error) {
      // Nobody could use the token any more, and nobody would know to revoke it.
      await this.#tryToRevoke(credentials);
      throw error;
    }
  }

  async #activeKey(): Promise<string | null> {
    try {
      return (await this.store.active())?.key ?? null;
    } catch (error) {
      // An unreadable file has no active login; storing moves it aside, or refuses with a better message.
      if (OsmosisError.is(error)) return null;
      throw error;
    }
  }

  async #revokeReplaced(saved: SavedLogin, fresh: Credentials): Promise<number> {
    const old = saved.replaced.filter(({ tokenId }) => tokenId !== null && tokenId !== fresh.tokenId);
    const revoked = await Promise.all(old.map((credentials) => this.#tryToRevoke(credentials)));
    return revoked.filter(Boolean).length;
  }

  async #tryToRevoke({ accessToken, tokenId, platformUrl }: Credentials): Promise<boolean> {
    if (tokenId === null) return false;
    try {
      return await this.api.revoke(accessToken, tokenId, {
        timeoutMs: REVOCATION_TIMEOUT_MS,
        ...(platformUrl !== null && { platformUrl }),
      });
    } catch (error) {
      if (!OsmosisError.is(error)) throw error;
      this.settings.log.debug(`A replaced token was not revoked: ${error.message}`);
      return false;
    }
  }
}
