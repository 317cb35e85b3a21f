import { randomBytes, randomInt } from 'node:crypto';
import { formBody, html, json, jsonBody, type PlatformCall, type PlatformReply } from './http.js';
import { loginPage, messagePage } from './login-pages.js';
import type { DeviceRequest, PlatformRecords } from './platform-records.js';

const CODE_LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';

export interface DeviceTimes {
  /** Seconds between two polls that the program is asked to keep. */
  readonly interval: number;
  /** Seconds that a code lives. */
  readonly expiresIn: number;
}

/** The device-code login: a code for the program, a page to enter it on, and the token for whoever polls (spec 0.3, 5.3). */
export class DeviceRoutes {
  constructor(
    private readonly records: PlatformRecords,
    private readonly times: DeviceTimes,
    private readonly baseUrl: () => string,
  ) {}

  authorize(call: PlatformCall): PlatformReply {
    const { deviceName } = jsonBody(call);
    const request: DeviceRequest = {
      deviceCode: randomBytes(24).toString('base64url'),
      userCode: `${letters(4)}-${letters(4)}`,
      deviceName: typeof deviceName === 'string' ? deviceName : 'Unknown',
      expiresAt: Date.now() + this.times.expiresIn * 1000,
      state: 'pending',
    };
    this.records.devices.push(request);
    return json(200, {
      device_code: request.deviceCode,
      user_code: request.userCode,
      verification_uri: `${this.baseUrl()}/device`,
      verification_uri_complete: `${this.baseUrl()}/device?user_code=${request.userCode}`,
      expires_in: this.times.expiresIn,
      interval: this.times.interval,
    });
  }

  token(call: PlatformCall): PlatformReply {
    const code = jsonBody(call).device_code;
    const request = this.records.devices.find(({ deviceCode }) => deviceCode === code);
    if (!request || request.expiresAt <= Date.now()) return json(400, { error: 'expired_token' });
    if (request.state === 'pending') return json(400, { error: 'authorization_pending' });
    this.records.devices.splice(this.records.devices.indexOf(request), 1);
    if (request.state === 'denied') return json(400, { error: 'access_denied' });
    const { id, token, expiresAt, membership } = this.records.issue(request.state.membership, request.deviceName);
    return json(200, { token, token_id: id, user: membership.user, expires_at: expiresAt.toISOString() });
  }

  show({ url }: PlatformCall): PlatformReply {
    return html(
      200,
      loginPage({
        action: '/device',
        deviceName: 'the device',
        hidden: {},
        userCode: url.searchParams.get('user_code') ?? '',
        memberships: this.records.memberships,
      }),
    );
  }

  decide(call: PlatformCall): PlatformReply {
    const form = formBody(call);
    const userCode = form.get('user_code')?.trim().toUpperCase();
    const request = this.records.devices.find((device) => device.userCode === userCode && device.state === 'pending');
    if (!request) return html(404, messagePage('Unknown code', 'This code is wrong, used, or too old.'));
    const membership = this.records.membership(form.get('membership'));
    request.state = membership ? { membership } : 'denied';
    return html(200, messagePage('Done', 'You can go back to the device.'));
  }
}

function letters(count: number): string {
  return Array.from({ length: count }, () => CODE_LETTERS[randomInt(CODE_LETTERS.length)]).join('');
}
