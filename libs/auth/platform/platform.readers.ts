import { ProtocolError, Secret, hasControlCharacters } from '#domain';
import { AuthRejectedError } from '../auth.error.js';
import type { Organization, PlatformUser } from '../credentials/credentials.js';
import { parseIsoTime } from '../credentials/iso-time.js';
import { isJsonObject, textOr, textOrNull, type JsonObject } from '../credentials/json-shape.js';

/** Lifetime of a token whose end the platform does not say (spec E.1). */
const FALLBACK_LIFETIME_MS = 90 * 24 * 3_600_000;
/** RFC 8628, 3.2: five seconds when the server does not say. */
const FALLBACK_INTERVAL_S = 5;
const FALLBACK_CODE_LIFETIME_S = 900;

export interface VerifiedToken {
  readonly user: PlatformUser;
  readonly organization: Organization;
  readonly expiresAt: Date;
  readonly tokenId: string | null;
}

export interface DeviceCode {
  readonly deviceCode: Secret;
  /** What the user types on the platform's page. */
  readonly userCode: string;
  readonly verificationUri: string;
  /** The same page with the code filled in; null when the platform gives none. */
  readonly verificationUriComplete: string | null;
  readonly expiresInMs: number;
  readonly intervalMs: number;
}

export type DevicePoll =
  | { readonly state: 'pending' | 'slow-down' }
  | { readonly state: 'refused'; readonly reason: 'expired' | 'denied' | 'unknown'; readonly text: string }
  | { readonly state: 'granted'; readonly token: Secret };

/**
 * Answer of the verification. Missing texts read as `''`, a missing role as `member` (spec G-E). The organisation stands
 * under `organization` (0.2) or `workspace` (0.3); 0.3 leaves out `valid`.
 *
 * @throws AuthRejectedError when the platform calls the token invalid, ProtocolError for an answer of another shape
 */
export function readVerification(answer: unknown, nowMs: number): VerifiedToken {
  if (!isJsonObject(answer)) throw unreadable('the verification is no JSON object');
  const valid = answer.valid ?? isJsonObject(answer.user);
  if (!valid) throw new AuthRejectedError("The platform says that the token is not valid. Run 'osmosis login' again.");
  const user = objectAt(answer, 'user');
  const organization = 'organization' in answer ? objectAt(answer, 'organization') : objectAt(answer, 'workspace');
  return {
    user: { id: textOr(user.id, ''), email: textOr(user.email, ''), name: textOrNull(user.name) },
    organization: {
      id: textOr(organization.id, ''),
      name: textOr(organization.name, ''),
      role: textOrNull(organization.role) ?? 'member',
    },
    expiresAt: readExpiry(answer.expires_at, nowMs),
    tokenId: textOrNull(answer.token_id),
  };
}

function readExpiry(value: unknown, nowMs: number): Date {
  if (value === undefined || value === null) return new Date(nowMs + FALLBACK_LIFETIME_MS);
  const expiresAt = parseIsoTime(value);
  if (!expiresAt) throw unreadable('expires_at is no ISO-8601 time with a UTC offset');
  if (expiresAt.getTime() <= nowMs)
    throw new AuthRejectedError('The platform says that the token has already expired.');
  return expiresAt;
}

export function readDeviceCode(answer: unknown): DeviceCode {
  if (!isJsonObject(answer)) throw unreadable('the device code is no JSON object');
  const deviceCode = Secret.from(textOrNull(answer.device_code));
  const userCode = textOrNull(answer.user_code);
  const verificationUri = webAddress(answer.verification_uri);
  if (!deviceCode || !userCode || !verificationUri || hasControlCharacters(userCode)) {
    throw unreadable('device_code, user_code or verification_uri is missing or unusable');
  }
  return {
    deviceCode,
    userCode,
    verificationUri,
    verificationUriComplete: webAddress(answer.verification_uri_complete),
    expiresInMs: positiveOr(answer.expires_in, FALLBACK_CODE_LIFETIME_S) * 1000,
    intervalMs: positiveOr(answer.interval, FALLBACK_INTERVAL_S) * 1000,
  };
}

export function readDevicePoll(answer: unknown): DevicePoll {
  if (!isJsonObject(answer)) throw unreadable('the answer about the device code is no JSON object');
  const error = textOrNull(answer.error);
  if (error === null) {
    const token = Secret.from(textOrNull(answer.token));
    if (!token) throw unreadable('it grants the login but holds no token');
    return { state: 'granted', token };
  }
  if (error === 'authorization_pending') return { state: 'pending' };
  if (error === 'slow_down') return { state: 'slow-down' };
  const reason = error === 'expired_token' ? 'expired' : error === 'access_denied' ? 'denied' : 'unknown';
  return { state: 'refused', reason, text: textOrNull(answer.error_description) ?? error };
}

function objectAt(object: JsonObject, key: string): JsonObject {
  const value = object[key];
  if (value === undefined || value === null) return {};
  if (!isJsonObject(value)) throw unreadable(`${key} is no JSON object`);
  return value;
}

function positiveOr(value: unknown, fallback: number): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : fallback;
}

/** Only http(s): the address is shown to the user, and opened. */
function webAddress(value: unknown): string | null {
  if (typeof value !== 'string' || !URL.canParse(value)) return null;
  return /^https?:$/.test(new URL(value).protocol) ? value : null;
}

function unreadable(what: string): ProtocolError {
  return new ProtocolError(`The platform's answer cannot be used: ${what}. Is this program too old for the platform?`, {
    retryable: false,
  });
}
