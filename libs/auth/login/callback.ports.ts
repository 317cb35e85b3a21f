import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemCode } from '../credentials/private-file.js';
import { LoginError } from '../auth.error.js';
import type { CallbackPorts } from '../auth.settings.js';

/** Servers on one port of the loopback: IPv4 and IPv6 where the machine has both. */
export interface LoopbackServers {
  readonly port: number;
  readonly servers: readonly Server[];
}

const HOSTS = ['127.0.0.1', '::1'] as const;
const TRIES_FOR_ANY_PORT = 10;

/**
 * Listens on the first port of the range that is free on both families (cases CL-01, CL-03), else on any free one. The
 * browser may resolve `localhost` to either. Node sets SO_REUSEADDR, so a port used a moment ago is free.
 *
 * @throws LoginError naming the range
 */
export async function listenOnLoopback(ports: CallbackPorts, handler: RequestListener): Promise<LoopbackServers> {
  for (let port = ports.first; port <= ports.last; port += 1) {
    const servers = await listenOnBoth(port, handler);
    if (servers) return { port, servers };
  }
  for (let tries = 0; ports.anyOther && tries < TRIES_FOR_ANY_PORT; tries += 1) {
    const servers = await listenOnBoth(0, handler);
    if (servers) return { port: portOf(servers), servers };
  }
  throw new LoginError(
    `Cannot wait for the browser: no port from ${ports.first} to ${ports.last} is free on localhost` +
      `${ports.anyOther ? ', nor could any other be opened' : ''}. End what uses them, or log in with --device.`,
  );
}

/** Null when the port is taken in either family. A family that the machine lacks is left out. */
async function listenOnBoth(port: number, handler: RequestListener): Promise<Server[] | null> {
  const servers: Server[] = [];
  for (const host of HOSTS) {
    const server = createServer({ requestTimeout: 30_000 }, handler);
    try {
      await listen(server, host, servers.length > 0 ? portOf(servers) : port);
      servers.push(server);
    } catch (error) {
      if (isFamilyMissing(error)) continue;
      await Promise.all(servers.map(close));
      return null;
    }
  }
  return servers.length > 0 ? servers : null;
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, exclusive: true }, () => {
      server.removeListener('error', reject);
      resolve();
    });
  });
}

function isFamilyMissing(error: unknown): boolean {
  const code = systemCode(error);
  return code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT';
}

function portOf(servers: readonly Server[]): number {
  const address = servers[0]?.address();
  return isAddressInfo(address) ? address.port : 0;
}

function isAddressInfo(address: AddressInfo | string | null | undefined): address is AddressInfo {
  return typeof address === 'object' && address !== null;
}

export function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
