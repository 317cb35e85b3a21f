import { json, type PlatformCall, type PlatformReply } from './http.js';
import type { IssuedToken, PlatformRecords } from './platform-records.js';

/** Whose a token is, and making it worthless. */
export class AccountRoutes {
  constructor(private readonly records: PlatformRecords) {}

  verify(_call: PlatformCall, token: IssuedToken): PlatformReply {
    const { user, organization, role } = token.membership;
    return json(200, {
      valid: true,
      token_id: token.id,
      user,
      organization: { ...organization, role },
      expires_at: token.expiresAt.toISOString(),
    });
  }

  /** A user may revoke any token of their own. */
  revoke({ url }: PlatformCall, token: IssuedToken): PlatformReply {
    const id = decodeURIComponent(url.pathname.split('/').at(-1) ?? '');
    const target = this.records.tokens.find(
      (other) => other.id === id && other.membership.user === token.membership.user,
    );
    if (!target || target.revoked) return json(404, { error: 'not_found' });
    target.revoked = true;
    return json(200, { revoked: true });
  }
}
