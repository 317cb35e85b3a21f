import { Secret, hasControlCharacters } from '#domain';
import { AuthExpiredError, AuthRequiredError, CredentialsInvalidError } from '../auth.error.js';
import type { AuthSettings } from '../auth.settings.js';
import { expiryInWords } from '../expiry-words.js';
import { DEFAULT_PLATFORM_URL, normalizePlatformUrl } from '../platform/platform-url.js';
import type { CredentialStore } from './credential.store.js';
import { isExpired, type StoredWorkspace } from './credentials.js';

/** As whom calls to the platform are made. */
export type CurrentLogin =
  | { readonly source: 'environment'; readonly token: Secret }
  | { readonly source: 'store'; readonly token: Secret; readonly workspace: StoredWorkspace };

/** Finds the login to use: `OSMOSIS_TOKEN` first, then the active workspace of the store. Never asks the network. */
export class LoginResolver {
  constructor(
    private readonly settings: AuthSettings,
    private readonly store: CredentialStore,
  ) {}

  /** Whether `OSMOSIS_TOKEN` decides, whatever is stored. */
  get isFromEnvironment(): boolean {
    return Secret.from(this.settings.env.OSMOSIS_TOKEN) !== null;
  }

  /**
   * Each way of not being logged in has its own message (case CL-20).
   *
   * @throws AuthRequiredError, AuthExpiredError, CredentialsInvalidError, CredentialsUnavailableError
   */
  async require(): Promise<CurrentLogin> {
    const token = Secret.from(this.settings.env.OSMOSIS_TOKEN);
    return token ? this.#fromEnvironment(token) : this.#fromStore();
  }

  /** A token in the environment is sent to another platform only if it is said to be meant for it (spec 0.3, 5.3). */
  #fromEnvironment(token: Secret): CurrentLogin {
    if (hasControlCharacters(token.reveal())) {
      throw new CredentialsInvalidError(
        'The token in OSMOSIS_TOKEN holds a line break or another control character within. Set it to the bare token.',
      );
    }
    const { env, platformUrl } = this.settings;
    const bound = env.OSMOSIS_TOKEN_PLATFORM_URL?.trim();
    const meantFor = bound ? normalizePlatformUrl(bound) : DEFAULT_PLATFORM_URL;
    if (meantFor === platformUrl) return { source: 'environment', token };
    throw new AuthRequiredError(
      `The token in OSMOSIS_TOKEN is not sent to ${platformUrl}: it is meant for ${meantFor ?? 'an unreadable address'}. ` +
        `If it does belong there, set OSMOSIS_TOKEN_PLATFORM_URL=${platformUrl}.`,
    );
  }

  async #fromStore(): Promise<CurrentLogin> {
    const workspace = await this.store.active();
    if (!workspace) {
      throw new AuthRequiredError("Not logged in. Run 'osmosis login', or set OSMOSIS_TOKEN.");
    }
    const { key, credentials, problem } = workspace;
    if (!credentials) {
      throw new CredentialsInvalidError(
        `The stored login for workspace '${key}' cannot be used: ${problem}. Run 'osmosis login' to replace it.`,
      );
    }
    const now = this.settings.clock.now();
    if (isExpired(credentials, now)) {
      throw new AuthExpiredError(
        `The login for workspace '${key}' has run out (${expiryInWords(credentials.expiresAt, now)}). ` +
          "Run 'osmosis login' to renew it, or 'osmosis workspace switch' to use another.",
      );
    }
    if (credentials.platformUrl !== null && credentials.platformUrl !== this.settings.platformUrl) {
      throw new AuthRequiredError(
        `The login for workspace '${key}' belongs to ${credentials.platformUrl} and is not sent to ` +
          `${this.settings.platformUrl}. Run 'osmosis login' for that platform, or mend OSMOSIS_PLATFORM_URL.`,
      );
    }
    return { source: 'store', token: credentials.accessToken, workspace };
  }
}
