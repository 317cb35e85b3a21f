import { expiryInWords, type LoginResult } from '#auth/plain';
import { expiryText, organizationRow, rowsText, userRows } from '../../account/account-text.js';
import type { Paint } from '../../cli/paint.js';

/** What a login came to, for people (spec D.2). */
export function loginText(result: LoginResult, nowMs: number, paint: Paint): string {
  const { workspace, user, organization, expiresAt, revokedPreviousTokens: revoked, credentialsPath } = result;
  const rows = rowsText([
    ...userRows(user),
    organizationRow(workspace, organization),
    ['Expires', expiryText(expiresAt, expiryInWords(expiresAt, nowMs))],
    ['Stored in', credentialsPath],
  ]);
  const earlier =
    revoked === 1 ? '1 earlier token of this device was' : `${revoked} earlier tokens of this device were`;
  return `${paint('green', 'Logged in.')}\n${rows}${revoked > 0 ? `${earlier} revoked.\n` : ''}`;
}

/** The same for programs; the token is not in it. */
export function loginData(result: LoginResult): object {
  return { ...result, expiresAt: result.expiresAt.toISOString() };
}
