import { hostname } from 'node:os';
import type { Clock } from '#domain';
import { locateConfig, type ConfigLocation, type Environment } from './credentials/config-location.js';
import { foregroundClock } from './foreground-clock.js';
import { silentLog, type Log } from './log.js';
import { commandBrowser, type BrowserOpener } from './login/browser-opener.js';
import { resolvePlatformUrl } from './platform/platform-url.js';

/** Ports for the callback of a browser login. */
export interface CallbackPorts {
  readonly first: number;
  /** Inclusive. */
  readonly last: number;
  /** Whether any free port will do when the whole range is taken. */
  readonly anyOther: boolean;
}

export interface AuthModuleOptions {
  /**
   * The program's environment. Read from it: `OSMOSIS_PLATFORM_URL`, `OSMOSIS_ALLOW_INSECURE_PLATFORM_URL`,
   * `OSMOSIS_TOKEN`, `OSMOSIS_TOKEN_PLATFORM_URL`, `OSMOSIS_CONFIG_DIR`, `XDG_CONFIG_HOME`, `HOME`, `OSMOSIS_CA_FILE`,
   * `NODE_EXTRA_CA_CERTS`, `HTTP(S)_PROXY`, `NO_PROXY` (either case), `BROWSER`, `DISPLAY`, `WAYLAND_DISPLAY`.
   */
  readonly env?: Environment;
  /** Where credentials are stored; beats the environment. */
  readonly configDir?: string;
  /** Base URL of the platform; beats the environment. */
  readonly platformUrl?: string;
  /** Version of this program, told to the platform in `User-Agent`. */
  readonly version?: string;
  /** Longest wait for one answer of the platform, retries included, in milliseconds. Default 30 000 (spec E.5). */
  readonly requestTimeoutMs?: number;
  /** Name of this machine on the platform's login page. Default: its host name. */
  readonly deviceName?: string;
  /** Default 8976 to 8985 (spec E.1), then any free one. */
  readonly callbackPorts?: CallbackPorts;
  /** How a browser is opened. Default: the desktop's own command. */
  readonly browser?: BrowserOpener;
  readonly clock?: Clock;
  /** Default: Nest's logger under `AuthModule`, none elsewhere. */
  readonly log?: Log;
}

/** The options with every default filled in. */
export interface AuthSettings {
  readonly env: Environment;
  readonly config: ConfigLocation;
  readonly platformUrl: string;
  readonly userAgent: string;
  readonly requestTimeoutMs: number;
  readonly deviceName: string;
  readonly callbackPorts: CallbackPorts;
  readonly browser: BrowserOpener;
  readonly clock: Clock;
  readonly log: Log;
}

export const AUTH_SETTINGS = Symbol.for('osmosis:auth-settings');

const CALLBACK_PORTS: CallbackPorts = { first: 8976, last: 8985, anyOther: true };

/** @throws OsmosisError `CONFIG_INVALID` for an unusable platform URL */
export function resolveAuthSettings(options: AuthModuleOptions): AuthSettings {
  const env = options.env ?? {};
  return {
    env,
    config: locateConfig(env, options.configDir),
    platformUrl: resolvePlatformUrl(env, options.platformUrl),
    userAgent: `osmosis-cli/${options.version ?? '0.0.0'}`,
    requestTimeoutMs: options.requestTimeoutMs ?? 30_000,
    deviceName: options.deviceName ?? systemDeviceName(),
    callbackPorts: options.callbackPorts ?? CALLBACK_PORTS,
    browser: options.browser ?? commandBrowser(env),
    clock: options.clock ?? foregroundClock,
    log: options.log ?? silentLog,
  };
}

/** Spec G-E: the host name, `Unknown` when the system does not tell it. */
export function systemDeviceName(read: () => string = hostname): string {
  try {
    return read() || 'Unknown';
  } catch {
    return 'Unknown';
  }
}
