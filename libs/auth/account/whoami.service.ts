import type { AuthSettings } from '../auth.settings.js';
import type { CredentialStore } from '../credentials/credential.store.js';
import type { Organization, PlatformUser } from '../credentials/credentials.js';
import type { LoginResolver } from '../credentials/login.resolver.js';
import type { PlatformApi } from '../platform/platform.api.js';
import { viewWorkspace, type WorkspaceView } from './account-view.js';

export interface WhoAmI {
  /** Where the login in use comes from; null: nobody is logged in. */
  readonly source: 'environment' | 'store' | null;
  readonly platformUrl: string;
  /** The active workspace's user; null when not known without asking the platform. */
  readonly user: PlatformUser | null;
  readonly workspaces: readonly WorkspaceView[];
  /** What the platform says of the login in use; null when it was not asked. */
  readonly verified: VerifiedLogin | null;
}

export interface VerifiedLogin {
  readonly user: PlatformUser;
  readonly organization: Organization;
  readonly expiresAt: string;
}

export interface WhoAmIOptions {
  /** Ask the platform; without it nothing leaves this machine (spec D.3). */
  readonly verify?: boolean;
  readonly signal?: AbortSignal;
}

export class WhoAmIService {
  constructor(
    private readonly settings: AuthSettings,
    private readonly store: CredentialStore,
    private readonly logins: LoginResolver,
    private readonly api: PlatformApi,
  ) {}

  /**
   * Who is logged in here. Verifying throws what is wrong with the login, each case with its own message (case CL-20):
   * AuthRequiredError, AuthExpiredError, AuthRejectedError, CredentialsInvalidError, PeerError.
   */
  async whoami({ verify = false, signal }: WhoAmIOptions = {}): Promise<WhoAmI> {
    const now = this.settings.clock.now();
    const workspaces = (await this.store.list()).map((workspace) => viewWorkspace(workspace, now));
    const fromEnvironment = this.logins.isFromEnvironment;
    const active = workspaces.find((workspace) => workspace.active);
    const verified = verify ? await this.#verify(signal) : null;
    return {
      source: fromEnvironment ? 'environment' : workspaces.length > 0 ? 'store' : null,
      platformUrl: this.settings.platformUrl,
      user: verified?.user ?? (fromEnvironment ? null : (active?.user ?? null)),
      workspaces,
      verified,
    };
  }

  async #verify(signal?: AbortSignal): Promise<VerifiedLogin> {
    const { token } = await this.logins.require();
    const { user, organization, expiresAt } = await this.api.verify(token, { signal });
    return { user, organization, expiresAt: expiresAt.toISOString() };
  }
}
