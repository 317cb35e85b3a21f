import { OsmosisError, PeerTimeoutError, TransportError, type Secret } from '#domain';
import { LoginError } from '../auth.error.js';
import type { AuthSettings } from '../auth.settings.js';
import { pause } from '../pause.js';
import type { PlatformApi } from '../platform/platform.api.js';
import type { DeviceCode, DevicePoll } from '../platform/platform.readers.js';
import type { LoginCompletion, LoginResult } from './login.completion.js';
import type { LoginListener } from './login-events.js';

/** Added to the interval each time the platform asks to slow down, and where that ends (spec 0.3, 5.3). */
const SLOW_DOWN_MS = 5_000;
const LONGEST_INTERVAL_MS = 30_000;

interface DeviceLoginRun {
  readonly force?: boolean;
  readonly onEvent?: LoginListener;
  readonly signal: AbortSignal;
}

/** The login for machines without a browser: a code is typed on another one (RFC 8628; spec 0.3, 5.3). */
export class DeviceLogin {
  constructor(
    private readonly settings: AuthSettings,
    private readonly api: PlatformApi,
    private readonly completion: LoginCompletion,
  ) {}

  async run({ force, onEvent, signal }: DeviceLoginRun): Promise<LoginResult> {
    const code = await this.#requestCode(signal);
    const { userCode, verificationUri, verificationUriComplete, expiresInMs } = code;
    onEvent?.({ type: 'device-code', userCode, verificationUri, verificationUriComplete, expiresInMs });
    const token = await this.#awaitToken(code, signal);
    onEvent?.({ type: 'verifying' });
    return this.completion.complete(token, { force, signal });
  }

  async #requestCode(signal: AbortSignal): Promise<DeviceCode> {
    try {
      return await this.api.authorizeDevice(this.settings.deviceName, { signal });
    } catch (error) {
      throw asLoginError('No device code was to be had.', error, signal);
    }
  }

  async #awaitToken(code: DeviceCode, signal: AbortSignal): Promise<Secret> {
    const { clock } = this.settings;
    const deadline = clock.monotonic() + code.expiresInMs;
    let intervalMs = code.intervalMs;
    while (clock.monotonic() + intervalMs < deadline) {
      await pause(clock, intervalMs, signal);
      const poll = await this.#poll(code.deviceCode, signal);
      if (poll.state === 'granted') return poll.token;
      if (poll.state === 'refused') throw refusal(poll.reason, poll.text);
      if (poll.state === 'slow-down') intervalMs = Math.min(intervalMs + SLOW_DOWN_MS, LONGEST_INTERVAL_MS);
    }
    throw refusal('expired', 'the code ran out');
  }

  /** A connection that breaks for a moment does not end a login that waits for a human. */
  async #poll(deviceCode: Secret, signal: AbortSignal): Promise<DevicePoll> {
    try {
      return await this.api.pollDevice(deviceCode, { signal });
    } catch (error) {
      if (error instanceof TransportError || error instanceof PeerTimeoutError) return { state: 'slow-down' };
      throw asLoginError('The device login failed.', error, signal);
    }
  }
}

function refusal(reason: 'expired' | 'denied' | 'unknown', text: string): LoginError {
  if (reason === 'denied') return new LoginError('The login was denied on the platform.');
  if (reason === 'expired') {
    return new LoginError("The device code ran out before it was entered. Run 'osmosis login --device' again.");
  }
  return new LoginError(`The platform refused the device login: ${text}.`);
}

function asLoginError(what: string, error: unknown, signal: AbortSignal): unknown {
  if (!OsmosisError.is(error) || error === signal.reason) return error;
  return new LoginError(`${what} ${error.message}`, { cause: error });
}
