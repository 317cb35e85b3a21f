import { randomBytes } from 'node:crypto';
import { OsmosisError, describeThrown } from '#domain';
import type { AuthSettings } from '../auth.settings.js';
import type { BrowserOutcome } from './browser-opener.js';
import { CallbackServer } from './callback.server.js';
import type { LoginCompletion, LoginResult } from './login.completion.js';
import type { LoginListener } from './login-events.js';

interface BrowserLoginRun {
  readonly force?: boolean;
  readonly openBrowser?: boolean;
  readonly onEvent?: LoginListener;
  readonly signal: AbortSignal;
}

/** The login through a browser on this machine: the platform sends it back to a port of ours (spec E.3). */
export class BrowserLogin {
  constructor(
    private readonly settings: AuthSettings,
    private readonly completion: LoginCompletion,
  ) {}

  async run({ force, openBrowser = true, onEvent, signal }: BrowserLoginRun): Promise<LoginResult> {
    const { callbackPorts, platformUrl, deviceName } = this.settings;
    const state = createState();
    const server = await CallbackServer.open(callbackPorts, state);
    let waiting = true;
    try {
      const { port } = server;
      const url = loginUrl({ platformUrl, state, port, deviceName });
      onEvent?.({ type: 'address', url, port });
      if (openBrowser) {
        void this.#open(url).then((outcome) => {
          if (waiting) onEvent?.({ type: 'browser', ...outcome });
        });
      }
      const { token, revokedCount } = await server.wait(signal);
      waiting = false;
      onEvent?.({ type: 'verifying' });
      const result = await this.completion.complete(token, { force, revokedCount, signal });
      server.conclude(null);
      return result;
    } catch (error) {
      server.conclude(OsmosisError.is(error) ? error.message : 'The login was ended in the terminal.');
      throw error;
    } finally {
      waiting = false;
      await server.close();
    }
  }

  /** No opener, not even a broken one, ends a login. */
  async #open(url: string): Promise<BrowserOutcome> {
    try {
      return await this.settings.browser.open(url);
    } catch (error) {
      return { opened: false, reason: describeThrown(error) };
    }
  }
}

/** 32 random bytes as 43 URL-safe characters. */
export function createState(): string {
  return randomBytes(32).toString('base64url');
}

/** The platform's login page, with its parameters in the order of spec E.3. */
export function loginUrl(parts: {
  readonly platformUrl: string;
  readonly state: string;
  readonly port: number;
  readonly deviceName: string;
}): string {
  const query = new URLSearchParams({
    state: parts.state,
    port: String(parts.port),
    device_name: parts.deviceName,
    redirect_uri: `http://localhost:${parts.port}/callback`,
  });
  return `${parts.platformUrl}/cli-auth?${query.toString()}`;
}
