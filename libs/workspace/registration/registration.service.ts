import type { PlatformClient } from '#auth/plain';
import { OsmosisError, PeerStatusError, type Secret } from '#domain';
import { isWildcard } from '../network/ip-address.js';
import type { PublicIpDetector } from '../network/public-ip.detector.js';
import type { WorkspaceSettings } from '../workspace.settings.js';
import { failedRegistration, readRegistration, type RegistrationResult } from './registration.result.js';

/** The server that is made known to the platform. */
export interface ServerAddress {
  /** Address the server listens on. */
  readonly host: string;
  readonly port: number;
  /** Address at which the platform reaches it; beats detection. */
  readonly publicHost?: string;
  readonly agent: string;
  /** Bearer that the platform must present; absent when the server asks for none. */
  readonly apiKey?: Secret | null;
}

const REGISTER_PATH = '/api/cli/rollout-server/register';
/** The platform probes the server during the call (spec 9.2). */
const REGISTER_TIMEOUT_MS = 15_000;

/** Single conversations with the platform about this server. `ServerRegistration` strings them together. */
export class RegistrationService {
  constructor(
    private readonly settings: WorkspaceSettings,
    private readonly client: PlatformClient,
    private readonly detector: PublicIpDetector,
  ) {}

  /**
   * One try. Failures are results, not errors: the server runs on without the platform (spec 9.2). `signal` ends the search
   * for the public address; the call itself, which the platform may already be acting on, only `callSignal` ends.
   */
  async register(
    server: ServerAddress,
    signal?: AbortSignal,
    callSignal: AbortSignal | undefined = signal,
  ): Promise<RegistrationResult> {
    let host: string | null = null;
    try {
      host = await this.advertisedHost(server, signal);
      return { ...(await this.#post(server, host, callSignal)), host, port: server.port, agent: server.agent };
    } catch (error) {
      if (!OsmosisError.is(error)) throw error;
      return {
        ...failedRegistration(error.message, error.retryable),
        host,
        port: server.port,
        agent: server.agent,
      };
    }
  }

  /**
   * The explicit public host, the bound address, or for a wildcard the detected public one.
   *
   * @throws PublicIpDetectionError
   */
  async advertisedHost({ host, publicHost }: ServerAddress, signal?: AbortSignal): Promise<string> {
    if (publicHost) return publicHost;
    return isWildcard(host) ? this.detector.detect({ ipv6: host !== '0.0.0.0', signal }) : host;
  }

  /** Whether the platform still knows the server; null when it cannot be asked. */
  async isKnown(serverId: string, signal?: AbortSignal): Promise<boolean | null> {
    const { status } = this.settings.routes;
    if (status === undefined) return null;
    try {
      await this.client.request(routeFor(status, serverId), { signal });
      return true;
    } catch (error) {
      if (error instanceof PeerStatusError && (error.status === 404 || error.status === 410)) return false;
      throw error;
    }
  }

  /** True when the platform took the server off its list, or had done so; false when it cannot be told to. */
  async deregister(serverId: string, timeoutMs: number): Promise<boolean> {
    const { deregister } = this.settings.routes;
    if (deregister === undefined) return false;
    try {
      await this.client.request(routeFor(deregister, serverId), { method: 'DELETE', timeoutMs });
    } catch (error) {
      if (!(error instanceof PeerStatusError && error.status === 404)) throw error;
    }
    return true;
  }

  async #post({ port, agent, apiKey }: ServerAddress, host: string, signal?: AbortSignal) {
    const answer = await this.client.request(REGISTER_PATH, {
      method: 'POST',
      body: { host, port, agent_loop_name: agent, ...(apiKey && { api_key: apiKey.reveal() }) },
      timeoutMs: REGISTER_TIMEOUT_MS,
      signal,
    });
    return (
      readRegistration(answer) ?? failedRegistration('The platform answered with something else than an object.', false)
    );
  }
}

function routeFor(template: string, serverId: string): string {
  return template.replaceAll('{id}', encodeURIComponent(serverId));
}
