import { PeerStatusError, ProtocolError, type Secret } from '#domain';
import { AuthRejectedError } from '../auth.error.js';
import type { AuthSettings } from '../auth.settings.js';
import { isJsonObject } from '../credentials/json-shape.js';
import type { PlatformClient } from './platform.client.js';
import { readDeviceCode, readDevicePoll, readVerification } from './platform.readers.js';
import type { DeviceCode, DevicePoll, VerifiedToken } from './platform.readers.js';

interface CallOptions {
  readonly signal?: AbortSignal;
  readonly platformUrl?: string;
  readonly timeoutMs?: number;
}

/** The platform's routes that logging in and out needs (spec E.3 and 0.3, 5.3), with answers that were looked at. */
export class PlatformApi {
  constructor(
    private readonly settings: AuthSettings,
    private readonly client: PlatformClient,
  ) {}

  /**
   * Whose the token is.
   *
   * @throws AuthRejectedError for a 401 or an answer that calls it invalid, PeerError
   */
  async verify(token: Secret, options: CallOptions = {}): Promise<VerifiedToken> {
    const answer = await this.client.request('/api/cli/verify', { ...options, token });
    return readVerification(answer, this.settings.clock.now());
  }

  /** Makes a token worthless. False when it was so before: the platform no longer knows it. */
  async revoke(token: Secret, tokenId: string, options: CallOptions = {}): Promise<boolean> {
    try {
      await this.client.request(`/api/cli/tokens/${encodeURIComponent(tokenId)}`, {
        ...options,
        method: 'DELETE',
        token,
      });
      return true;
    } catch (error) {
      const gone = error instanceof AuthRejectedError || (error instanceof PeerStatusError && error.status === 404);
      if (!gone) throw error;
      return false;
    }
  }

  async authorizeDevice(deviceName: string, options: CallOptions = {}): Promise<DeviceCode> {
    const body = { deviceName };
    const answer = await this.client.request('/api/cli/device/authorize', {
      ...options,
      method: 'POST',
      body,
      token: 'anonymous',
    });
    return readDeviceCode(answer);
  }

  /** Asks once whether the code was entered. */
  async pollDevice(deviceCode: Secret, options: CallOptions = {}): Promise<DevicePoll> {
    const { status, json } = await this.client.ask('/api/cli/device/token', {
      ...options,
      method: 'POST',
      body: { device_code: deviceCode.reveal() },
      token: 'anonymous',
    });
    if (status > 299 && !(isJsonObject(json) && typeof json.error === 'string')) {
      throw new ProtocolError(`The platform refused the device code with HTTP ${status} and gave no reason.`, {
        status,
      });
    }
    return readDevicePoll(json);
  }
}
