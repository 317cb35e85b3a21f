import { randomBytes, randomUUID } from 'node:crypto';

export interface EmulatedUser {
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
}

export interface EmulatedOrganization {
  readonly id: string;
  readonly name: string;
}

/** That a user belongs to an organisation, and as what. */
export interface Membership {
  readonly user: EmulatedUser;
  readonly organization: EmulatedOrganization;
  readonly role: 'owner' | 'admin' | 'member';
}

export interface IssuedToken {
  readonly id: string;
  readonly token: string;
  readonly membership: Membership;
  readonly deviceName: string;
  readonly expiresAt: Date;
  revoked: boolean;
}

export interface RegisteredServer {
  readonly id: string;
  readonly host: string;
  readonly port: number;
  readonly agent: string;
  readonly apiKey: string | null;
  status: 'healthy' | 'unhealthy';
}

export interface DeviceRequest {
  readonly deviceCode: string;
  readonly userCode: string;
  readonly deviceName: string;
  readonly expiresAt: number;
  state: 'pending' | 'denied' | { readonly membership: Membership };
}

const ada: EmulatedUser = { id: 'user_ada', email: 'ada@example.com', name: 'Ada Example' };
const bo: EmulatedUser = { id: 'user_bo', email: 'bo@example.com', name: null };

/** Two users, three organisations, two of which bear the same name. */
export const SAMPLE_MEMBERSHIPS: readonly Membership[] = [
  { user: ada, organization: { id: 'org_acme', name: 'Acme' }, role: 'owner' },
  { user: ada, organization: { id: 'org_labs', name: 'Labs' }, role: 'admin' },
  { user: bo, organization: { id: 'org_acme_2', name: 'Acme' }, role: 'member' },
];

const TOKEN_LIFETIME_MS = 90 * 24 * 3_600_000;

/** What the emulated platform remembers. */
export class PlatformRecords {
  readonly tokens: IssuedToken[] = [];
  readonly servers = new Map<string, RegisteredServer>();
  readonly devices: DeviceRequest[] = [];

  constructor(readonly memberships: readonly Membership[]) {}

  /** Name of a membership in forms. */
  static keyOf({ user, organization }: Membership): string {
    return `${user.id}@${organization.id}`;
  }

  membership(key: string | null): Membership | undefined {
    return this.memberships.find((membership) => PlatformRecords.keyOf(membership) === key);
  }

  issue(membership: Membership, deviceName: string, expiresAt = new Date(Date.now() + TOKEN_LIFETIME_MS)): IssuedToken {
    const issued: IssuedToken = {
      id: `tok_${randomUUID()}`,
      token: `osm_${randomBytes(24).toString('base64url')}`,
      membership,
      deviceName,
      expiresAt,
      revoked: false,
    };
    this.tokens.push(issued);
    return issued;
  }

  /** Revokes the earlier tokens of a device for the same user and organisation; returns how many there were. */
  revokeEarlier({ membership, deviceName }: Pick<IssuedToken, 'membership' | 'deviceName'>): number {
    const earlier = this.tokens.filter(
      (token) => !token.revoked && token.deviceName === deviceName && token.membership === membership,
    );
    for (const token of earlier) token.revoked = true;
    return earlier.length;
  }

  /** The token that a request presents, if it is good. */
  authenticate(authorization: string | undefined): IssuedToken | null {
    const bearer = /^Bearer (.+)$/.exec(authorization ?? '')?.[1];
    const found = this.tokens.find(({ token }) => token === bearer);
    return found && !found.revoked && found.expiresAt.getTime() > Date.now() ? found : null;
  }
}
