import { silentLog, type Log } from '#auth/plain';
import type { BackoffPolicy } from '#domain';
import { ADDRESS_SERVICES, METADATA_URL } from './network/public-ip.sources.js';

/** Routes of the platform beyond registering. `{id}` stands for the server's id. */
export interface RegistrationRoutes {
  /** Answers 404 once the platform has forgotten the server. */
  readonly status?: string;
  /** Takes a `DELETE`. */
  readonly deregister?: string;
}

export interface WorkspaceModuleOptions {
  /** Where the cloud's instance metadata is served. */
  readonly metadataUrl?: string;
  /** Pages that answer with the caller's address. */
  readonly addressServices?: readonly string[];
  /** How failed registrations are spaced. Default: 2 s doubling up to 5 min. */
  readonly backoff?: BackoffPolicy;
  /** How often the platform is asked whether it still knows us, where it can be asked. Default 60 000 ms. */
  readonly watchIntervalMs?: number;
  /**
   * Routes the platform is known to have. The public contract (spec 9.2) knows only the registration, so none by default:
   * the server is then neither watched nor deregistered.
   */
  readonly routes?: RegistrationRoutes;
  /** Default: Nest's logger under `WorkspaceModule`, none elsewhere. */
  readonly log?: Log;
}

export interface WorkspaceSettings {
  readonly metadataUrl: string;
  readonly addressServices: readonly string[];
  readonly backoff: BackoffPolicy;
  readonly watchIntervalMs: number;
  readonly routes: RegistrationRoutes;
  readonly log: Log;
}

export function resolveWorkspaceSettings(options: WorkspaceModuleOptions): WorkspaceSettings {
  return {
    metadataUrl: options.metadataUrl ?? METADATA_URL,
    addressServices: options.addressServices ?? ADDRESS_SERVICES,
    backoff: options.backoff ?? { baseDelayMs: 2_000, maxDelayMs: 300_000 },
    watchIntervalMs: options.watchIntervalMs ?? 60_000,
    routes: options.routes ?? {},
    log: options.log ?? silentLog,
  };
}
