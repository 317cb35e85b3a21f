import { Secret, hasControlCharacters } from '#domain';
import type { Credentials } from './credentials.js';
import { formatIsoTime, parseIsoTime } from './iso-time.js';
import { isJsonObject, textOr, textOrNull, type JsonObject } from './json-shape.js';

/** What one entry of the file says, or why it cannot be used. */
export type EntryReading = { readonly credentials: Credentials } | { readonly problem: string };

/**
 * Reads one entry of the file (schema: spec E.2). Never throws, whatever the shape; texts of problems hold no token.
 */
export function readEntry(entry: unknown): EntryReading {
  if (!isJsonObject(entry)) return { problem: 'it is no JSON object' };
  const accessToken = Secret.from(textOrNull(entry.access_token));
  if (!accessToken) return { problem: 'access_token is missing or empty' };
  if (hasControlCharacters(accessToken.reveal())) {
    return { problem: 'access_token holds a control character, so that it cannot be sent' };
  }
  const expiresAt = parseIsoTime(entry.expires_at);
  if (!expiresAt) return { problem: expiryProblem(entry.expires_at) };
  const user = isJsonObject(entry.user) ? entry.user : {};
  const organization = isJsonObject(entry.organization) ? entry.organization : {};
  return {
    credentials: {
      accessToken,
      tokenType: textOr(entry.token_type, 'Bearer'),
      expiresAt,
      createdAt: parseIsoTime(entry.created_at),
      user: { id: textOr(user.id, ''), email: textOr(user.email, ''), name: textOrNull(user.name) },
      organization: {
        id: textOr(organization.id, ''),
        name: textOr(organization.name, ''),
        role: textOrNull(organization.role) ?? 'member',
      },
      tokenId: textOrNull(entry.token_id),
      platformUrl: textOrNull(entry.platform_url),
    },
  };
}

function expiryProblem(expiresAt: unknown): string {
  if (expiresAt === undefined || expiresAt === null) return 'expires_at is missing';
  if (typeof expiresAt === 'string' && !Number.isNaN(Date.parse(expiresAt))) {
    return 'expires_at has no UTC offset, so that it names no certain moment';
  }
  return 'expires_at is no ISO-8601 time';
}

/**
 * The entry to write, in the order of spec E.2. Fields that this program does not know are kept from what stood there;
 * every field it knows is taken from `credentials`, also when that means to drop it.
 */
export function writeEntry(credentials: Credentials, previous: unknown): JsonObject {
  const { token_id: _tokenId, platform_url: _platformUrl, ...kept } = isJsonObject(previous) ? previous : {};
  return {
    ...kept,
    access_token: credentials.accessToken.reveal(),
    token_type: credentials.tokenType,
    expires_at: formatIsoTime(credentials.expiresAt),
    ...(credentials.createdAt && { created_at: formatIsoTime(credentials.createdAt) }),
    user: { ...objectOrNothing(kept.user), ...credentials.user },
    organization: { ...objectOrNothing(kept.organization), ...credentials.organization },
    ...(credentials.tokenId !== null && { token_id: credentials.tokenId }),
    ...(credentials.platformUrl !== null && { platform_url: credentials.platformUrl }),
  };
}

function objectOrNothing(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}
