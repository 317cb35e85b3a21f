import { OsmosisError, Secret, hasControlCharacters } from '#domain';
import { LoginError } from '../auth.error.js';
import type { AuthSettings } from '../auth.settings.js';
import type { CredentialStore } from '../credentials/credential.store.js';
import type { BrowserLogin } from './browser.login.js';
import type { DeviceLogin } from './device.login.js';
import type { LoginCompletion, LoginResult } from './login.completion.js';
import type { LoginListener } from './login-events.js';

export interface LoginOptions {
  /** Replaces the login that is active now, also when it is for another workspace. Other logins stay. */
  readonly force?: boolean;
  /** Longest wait for the user. Default 300 000 ms for the browser, 900 000 ms for a device code. */
  readonly timeoutMs?: number;
  /** Told what happens, for showing it. */
  readonly onEvent?: LoginListener;
  /** Ends the login; its reason is thrown. */
  readonly signal?: AbortSignal;
}

export interface BrowserLoginOptions extends LoginOptions {
  /** False: the address is only announced (`--no-browser`). */
  readonly openBrowser?: boolean;
}

const BROWSER_TIMEOUT_MS = 300_000;
const DEVICE_TIMEOUT_MS = 900_000;

/**
 * Logging in, by three ways that end alike: the token is verified with the platform, then stored. Nothing that was stored
 * is touched before that.
 */
export class LoginService {
  constructor(
    private readonly settings: AuthSettings,
    private readonly store: CredentialStore,
    private readonly browserLogin: BrowserLogin,
    private readonly deviceLogin: DeviceLogin,
    private readonly completion: LoginCompletion,
  ) {}

  /** Through a browser on this machine. @throws LoginError, CredentialsUnavailableError, CredentialsVersionError */
  async withBrowser(options: BrowserLoginOptions = {}): Promise<LoginResult> {
    await this.store.assertWritable();
    return this.#within(options.timeoutMs ?? BROWSER_TIMEOUT_MS, options.signal, (signal) =>
      this.browserLogin.run({ ...options, signal }),
    );
  }

  /** Through a browser anywhere, by typing a code. @throws as {@link withBrowser} */
  async withDeviceCode(options: LoginOptions = {}): Promise<LoginResult> {
    await this.store.assertWritable();
    return this.#within(options.timeoutMs ?? DEVICE_TIMEOUT_MS, options.signal, (signal) =>
      this.deviceLogin.run({ ...options, signal }),
    );
  }

  /** With a token that is already there, as in CI. Surrounding white space is dropped (case NT-15). */
  async withToken(
    text: string,
    options: Pick<LoginOptions, 'force' | 'onEvent' | 'signal'> = {},
  ): Promise<LoginResult> {
    const token = Secret.from(text);
    if (!token) throw new LoginError('No token was given. Pass it on standard input: osmosis login --token - < file');
    if (hasControlCharacters(token.reveal())) {
      throw new LoginError(
        'The token holds a line break or another control character within. Pass the bare token only.',
      );
    }
    await this.store.assertWritable();
    options.onEvent?.({ type: 'verifying' });
    return this.completion.complete(token, options);
  }

  async #within(
    timeoutMs: number,
    outer: AbortSignal | undefined,
    action: (signal: AbortSignal) => Promise<LoginResult>,
  ): Promise<LoginResult> {
    const timeout = new AbortController();
    const timer = this.settings.clock.after(timeoutMs, () => {
      timeout.abort(
        new LoginError(
          `The login timed out: nobody finished it within ${timeoutMs / 1000} s. Run 'osmosis login' again.`,
        ),
      );
    });
    const signal = outer ? AbortSignal.any([outer, timeout.signal]) : timeout.signal;
    try {
      return await action(signal);
    } catch (error) {
      if (signal.aborted && error === signal.reason && !OsmosisError.is(error)) {
        throw new OsmosisError('CANCELLED', 'The login was cancelled; nothing was stored.', { cause: error });
      }
      throw error;
    } finally {
      timer.stop();
    }
  }
}
