import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { AccountRoutes } from './account-routes.js';
import { DeviceRoutes, type DeviceTimes } from './device-routes.js';
import { json, readCall, writeReply, type PlatformCall, type PlatformReply } from './http.js';
import { LoginRoutes } from './login-routes.js';
import { FaultPlan, inflict, type PlatformFault } from './platform-faults.js';
import { PlatformRecords, SAMPLE_MEMBERSHIPS, type IssuedToken, type Membership } from './platform-records.js';
import { ServerRoutes } from './server-routes.js';

export interface PlatformEmulatorOptions {
  readonly host?: string;
  /** 0, the default: any free one. */
  readonly port?: number;
  readonly memberships?: readonly Membership[];
  /** Default: polls a second apart, codes that live 15 minutes. */
  readonly device?: Partial<DeviceTimes>;
}

/** A request as it came in. Holds tokens: for tests only. */
export interface RecordedCall extends PlatformCall {
  /** Method and path without ids, as faults are planned for: `DELETE /api/cli/tokens/{id}`. */
  readonly route: string;
}

type OpenRoute = (call: PlatformCall) => PlatformReply | Promise<PlatformReply>;
type AccountRoute = (call: PlatformCall, token: IssuedToken) => PlatformReply | Promise<PlatformReply>;

/** Routes of the platform beyond the public contract, in the form that `WorkspaceModule` takes. */
export const EMULATED_SERVER_ROUTES = {
  status: '/api/cli/rollout-server/{id}',
  deregister: '/api/cli/rollout-server/{id}',
} as const;

/**
 * The Osmosis platform as far as the command line and a rollout server see it, on a real socket: login page, device codes,
 * verification, revocation, registration with a health probe. For tests and for trying a login by hand; it knows no
 * passwords and must not be reachable from outside.
 */
export class PlatformEmulator {
  readonly records: PlatformRecords;
  readonly calls: RecordedCall[] = [];
  readonly #faults = new FaultPlan();
  readonly #open: ReadonlyMap<string, OpenRoute>;
  readonly #protected: ReadonlyMap<string, AccountRoute>;
  readonly #server: Server;
  #url = '';

  private constructor(options: PlatformEmulatorOptions) {
    this.records = new PlatformRecords(options.memberships ?? SAMPLE_MEMBERSHIPS);
    const login = new LoginRoutes(this.records);
    const device = new DeviceRoutes(this.records, { interval: 1, expiresIn: 900, ...options.device }, () => this.#url);
    const account = new AccountRoutes(this.records);
    const servers = new ServerRoutes(this.records);
    this.#open = new Map<string, OpenRoute>([
      ['GET /cli-auth', (call) => login.show(call)],
      ['POST /cli-auth', (call) => login.decide(call)],
      ['GET /device', (call) => device.show(call)],
      ['POST /device', (call) => device.decide(call)],
      ['POST /api/cli/device/authorize', (call) => device.authorize(call)],
      ['POST /api/cli/device/token', (call) => device.token(call)],
    ]);
    this.#protected = new Map<string, AccountRoute>([
      ['GET /api/cli/verify', (call, token) => account.verify(call, token)],
      ['DELETE /api/cli/tokens/{id}', (call, token) => account.revoke(call, token)],
      ['POST /api/cli/rollout-server/register', (call) => servers.register(call)],
      ['GET /api/cli/rollout-server/{id}', (call) => servers.status(call)],
      ['DELETE /api/cli/rollout-server/{id}', (call) => servers.deregister(call)],
    ]);
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => {
        if (!response.headersSent) writeReply(response, json(500, { error: String(error) }));
      });
    });
  }

  static async start(options: PlatformEmulatorOptions = {}): Promise<PlatformEmulator> {
    const emulator = new PlatformEmulator(options);
    await emulator.#listen(options.host ?? '127.0.0.1', options.port ?? 0);
    return emulator;
  }

  /** Base URL, for `OSMOSIS_PLATFORM_URL`. */
  get url(): string {
    return this.#url;
  }

  async stop(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  /** A token without a login. */
  issue(options: { membership?: Membership; deviceName?: string; expiresAt?: Date } = {}): IssuedToken {
    const membership = options.membership ?? this.records.memberships[0];
    if (!membership) throw new RangeError('the emulator was started without memberships');
    return this.records.issue(membership, options.deviceName ?? 'a device', options.expiresAt);
  }

  /** The next requests of this route go wrong, one fault each. Routes as in {@link RecordedCall.route}. */
  failNext(route: string, ...faults: readonly PlatformFault[]): void {
    this.#faults.add(route, faults);
  }

  callsOf(route: string): RecordedCall[] {
    return this.calls.filter((call) => call.route === route);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const call = await readCall(request);
    const route = this.#routeOf(call);
    this.calls.push({ ...call, route });
    const fault = this.#faults.take(route);
    if (fault && (await inflict(fault, response))) return;
    writeReply(response, await this.#reply(call, route));
  }

  #reply(call: PlatformCall, route: string): PlatformReply | Promise<PlatformReply> {
    const open = this.#open.get(route);
    if (open) return open(call);
    const handler = this.#protected.get(route);
    if (!handler) return json(404, { error: 'not_found' });
    const token = this.records.authenticate(call.authorization);
    return token ? handler(call, token) : json(401, { error: 'unauthorized' });
  }

  #routeOf({ method, url }: PlatformCall): string {
    const exact = `${method} ${url.pathname}`;
    if (this.#open.has(exact) || this.#protected.has(exact)) return exact;
    const general = `${method} ${url.pathname.replace(/\/[^/]+$/, '/{id}')}`;
    return this.#protected.has(general) ? general : exact;
  }

  async #listen(host: string, port: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, resolve);
    });
    const address = this.#server.address();
    if (typeof address !== 'object' || address === null) throw new TypeError('the emulator has no address');
    this.#url = `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`;
  }
}
