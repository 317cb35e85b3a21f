import { formBody, html, redirect, type PlatformCall, type PlatformReply } from './http.js';
import { loginPage, messagePage } from './login-pages.js';
import type { PlatformRecords } from './platform-records.js';

const CALLBACK = /^http:\/\/localhost:\d{1,5}\/callback$/;

/** The browser's part of a login: a page to choose on, and the way back to the command line (spec E.3). */
export class LoginRoutes {
  constructor(private readonly records: PlatformRecords) {}

  show({ url }: PlatformCall): PlatformReply {
    const state = url.searchParams.get('state') ?? '';
    const redirectUri = url.searchParams.get('redirect_uri') ?? '';
    const deviceName = url.searchParams.get('device_name') ?? 'Unknown';
    if (state === '' || !CALLBACK.test(redirectUri)) {
      return html(400, messagePage('Bad login address', 'state or redirect_uri is missing or wrong.'));
    }
    return html(
      200,
      loginPage({
        action: '/cli-auth',
        deviceName,
        hidden: { state, redirect_uri: redirectUri, device_name: deviceName },
        memberships: this.records.memberships,
      }),
    );
  }

  decide(call: PlatformCall): PlatformReply {
    const form = formBody(call);
    const redirectUri = form.get('redirect_uri') ?? '';
    if (!CALLBACK.test(redirectUri)) return html(400, messagePage('Bad login address', 'redirect_uri is wrong.'));
    return redirect(`${redirectUri}?${this.#answer(form).toString()}`);
  }

  #answer(form: URLSearchParams): URLSearchParams {
    const state = form.get('state') ?? '';
    const membership = this.records.membership(form.get('membership'));
    if (!membership) {
      return new URLSearchParams({ error: 'access_denied', error_description: 'The login was denied', state });
    }
    const deviceName = form.get('device_name') ?? 'Unknown';
    const revoked = this.records.revokeEarlier({ membership, deviceName });
    const { token } = this.records.issue(membership, deviceName);
    return new URLSearchParams({ token, state, revoked_count: String(revoked) });
  }
}
