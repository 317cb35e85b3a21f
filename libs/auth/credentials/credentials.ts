import type { Secret } from '#domain';

export interface PlatformUser {
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
}

export interface Organization {
  readonly id: string;
  readonly name: string;
  /** `owner`, `admin` or `member`; `member` when the platform does not say. */
  readonly role: string;
}

/** One login: a token, whose it is, and for which organisation. */
export interface Credentials {
  readonly accessToken: Secret;
  readonly tokenType: string;
  readonly expiresAt: Date;
  /** Null when the file does not say it with a UTC offset. */
  readonly createdAt: Date | null;
  readonly user: PlatformUser;
  readonly organization: Organization;
  /** Names the token on the platform, for revoking it. */
  readonly tokenId: string | null;
  /** The platform the token belongs to; null in files of the Python SDK, which does not record it. */
  readonly platformUrl: string | null;
}

/** One entry of the credentials file. */
export interface StoredWorkspace {
  /** Name of the entry: the organisation's name, made unique where two organisations share it. */
  readonly key: string;
  readonly active: boolean;
  /** Null when the entry cannot be used: then {@link problem} says why. */
  readonly credentials: Credentials | null;
  readonly problem: string | null;
}

/** Expired from the very moment of `expiresAt` on (spec E.2). */
export function isExpired(credentials: Credentials, nowMs: number): boolean {
  return nowMs >= credentials.expiresAt.getTime();
}
