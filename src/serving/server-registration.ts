import type { Secret } from '#domain';

/** The server as it is made known to the platform. */
export interface RegisteredServer {
  /** Address the server listens on. */
  readonly host: string;
  readonly port: number;
  readonly agentName: string;
  /** What the platform must present; null when the server asks for nothing. */
  readonly apiKey: Secret | null;
  /** Address at which the platform reaches the server; undefined: to be detected. */
  readonly publicHost: string | undefined;
  readonly readinessTimeoutMs: number;
  readonly readinessPollIntervalMs: number;
}

/** Keeps a server registered with the platform while it runs. */
export interface ServerRegistration {
  /**
   * Called before anything is loaded.
   *
   * @throws OsmosisError saying why nobody is logged in, and how to serve without: AUTH_REQUIRED, AUTH_EXPIRED,
   * CREDENTIALS_INVALID; CONFIG_INVALID for an unusable platform URL
   */
  requireLogin(): Promise<void>;
  /** Begins in the background: a registration that fails never stops the server. */
  start(server: RegisteredServer): Promise<void>;
  /** Ends it within the given time. */
  stop(timeoutMs: number): Promise<void>;
}

/** Injection token of the {@link ServerRegistration} that `serve` uses. */
export const SERVER_REGISTRATION = Symbol('SERVER_REGISTRATION');
