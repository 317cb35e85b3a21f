import type { StoredWorkspace, Organization, PlatformUser } from '../credentials/credentials.js';
import { isExpired } from '../credentials/credentials.js';
import { expiryInWords } from '../expiry-words.js';

/** A stored workspace as plain data for showing: no token in it. */
export interface WorkspaceView {
  readonly name: string;
  readonly active: boolean;
  readonly state: 'valid' | 'expired' | 'unusable';
  readonly user: PlatformUser | null;
  readonly organization: Organization | null;
  /** ISO-8601; null when the entry cannot be used. */
  readonly expiresAt: string | null;
  /** `expires in 3 days`, `expired 2 hours ago`, or what is wrong with the entry. */
  readonly expiry: string;
  /** What to do about an entry that is not valid; null for a valid one. */
  readonly advice: string | null;
}

export function viewWorkspace(workspace: StoredWorkspace, nowMs: number): WorkspaceView {
  const { key: name, active, credentials, problem } = workspace;
  if (!credentials) {
    return {
      name,
      active,
      state: 'unusable',
      user: null,
      organization: null,
      expiresAt: null,
      expiry: problem ?? 'it cannot be used',
      advice: `Run 'osmosis login' to replace the login for '${name}'.`,
    };
  }
  const expired = isExpired(credentials, nowMs);
  return {
    name,
    active,
    state: expired ? 'expired' : 'valid',
    user: credentials.user,
    organization: credentials.organization,
    expiresAt: credentials.expiresAt.toISOString(),
    expiry: expiryInWords(credentials.expiresAt, nowMs),
    advice: expired ? `Run 'osmosis login' to renew the login for '${name}'.` : null,
  };
}
