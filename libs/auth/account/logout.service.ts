import { OsmosisError } from '#domain';
import type { AuthSettings } from '../auth.settings.js';
import type { CredentialStore } from '../credentials/credential.store.js';
import { isExpired, type Credentials, type StoredWorkspace } from '../credentials/credentials.js';
import type { LoginResolver } from '../credentials/login.resolver.js';
import type { PlatformApi } from '../platform/platform.api.js';

export interface LogoutOptions {
  /** Names of the workspaces; absent: all. */
  readonly workspaces?: readonly string[];
  /** False: nothing leaves this machine, the tokens stay valid on the platform. */
  readonly revoke?: boolean;
  readonly signal?: AbortSignal;
}

export interface LogoutResult {
  readonly workspace: string;
  /**
   * What became of the token on the platform: `revoked` (now, or before), `expired` (worthless anyway), `unknown` (the entry
   * does not name it), `kept` (not asked for), `failed` (then {@link problem} says why and it is valid until it expires).
   */
  readonly token: 'revoked' | 'expired' | 'unknown' | 'kept' | 'failed';
  readonly problem: string | null;
}

export interface LogoutReport {
  readonly results: readonly LogoutResult[];
  /** The workspace that is active now. */
  readonly active: string | null;
  /** Where an unreadable credentials file was moved to, if there was one. */
  readonly movedAside: string | null;
  /** `OSMOSIS_TOKEN` is set: calls are still made with it. */
  readonly overriddenByEnvironment: boolean;
}

const REVOCATION_TIMEOUT_MS = 5_000;

/** Logging out: the token is made worthless on the platform where that can be done, then deleted here in any case. */
export class LogoutService {
  constructor(
    private readonly settings: AuthSettings,
    private readonly store: CredentialStore,
    private readonly logins: LoginResolver,
    private readonly api: PlatformApi,
  ) {}

  async logout(options: LogoutOptions = {}): Promise<LogoutReport> {
    const stored = await this.#stored();
    const chosen = stored?.filter(({ key }) => options.workspaces?.includes(key) ?? true) ?? [];
    const results = await Promise.all(chosen.map((workspace) => this.#revoke(workspace, options)));
    const nothingToDo = stored !== null && chosen.length === 0;
    const movedAside = nothingToDo ? null : (await this.store.remove(chosen.map(({ key }) => key))).movedAside;
    return {
      results,
      active: (await this.store.active())?.key ?? null,
      movedAside,
      overriddenByEnvironment: this.logins.isFromEnvironment,
    };
  }

  /** Null for a file that cannot be understood: removing moves it aside, or refuses it with the reason. */
  async #stored(): Promise<StoredWorkspace[] | null> {
    try {
      return await this.store.list();
    } catch (error) {
      if (OsmosisError.is(error) && error.code === 'CREDENTIALS_INVALID') return null;
      throw error;
    }
  }

  async #revoke({ key, credentials }: StoredWorkspace, options: LogoutOptions): Promise<LogoutResult> {
    const result = (token: LogoutResult['token'], problem: string | null = null): LogoutResult => ({
      workspace: key,
      token,
      problem,
    });
    if (options.revoke === false) return result('kept');
    if (!credentials) return result('unknown');
    if (isExpired(credentials, this.settings.clock.now())) return result('expired');
    try {
      return result((await this.#revokeToken(credentials, options.signal)) ? 'revoked' : 'unknown');
    } catch (error) {
      if (!OsmosisError.is(error)) throw error;
      return result('failed', error.message);
    }
  }

  /** False when nobody can say what the token is called. Entries of the Python SDK may not; the platform is then asked. */
  async #revokeToken({ accessToken, tokenId, platformUrl }: Credentials, signal?: AbortSignal): Promise<boolean> {
    const call = { signal, timeoutMs: REVOCATION_TIMEOUT_MS, ...(platformUrl !== null && { platformUrl }) };
    try {
      const id = tokenId ?? (await this.api.verify(accessToken, call)).tokenId;
      if (id === null) return false;
      await this.api.revoke(accessToken, id, call);
      return true;
    } catch (error) {
      if (OsmosisError.is(error) && error.code === 'AUTH_REJECTED') return true;
      throw error;
    }
  }
}
