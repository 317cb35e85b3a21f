import { randomUUID } from 'node:crypto';
import { request } from 'undici';
import { describeThrown } from '#domain';
import { json, jsonBody, type PlatformCall, type PlatformReply } from './http.js';
import type { PlatformRecords, RegisteredServer } from './platform-records.js';

const PROBE_TIMEOUT_MS = 5_000;

type Probe = { readonly healthy: true; readonly info: unknown } | { readonly healthy: false; readonly error: string };

/** Registration of rollout servers: the platform calls back before it answers (spec 9.2). */
export class ServerRoutes {
  constructor(private readonly records: PlatformRecords) {}

  async register(call: PlatformCall): Promise<PlatformReply> {
    const { host, port, agent_loop_name: agent, api_key: apiKey } = jsonBody(call);
    if (typeof host !== 'string' || typeof port !== 'number' || typeof agent !== 'string') {
      return json(400, { error: 'host, port and agent_loop_name are required' });
    }
    const known = [...this.records.servers.values()].find((other) => other.host === host && other.port === port);
    const server: RegisteredServer = {
      id: known?.id ?? `srv_${randomUUID()}`,
      host,
      port,
      agent,
      apiKey: typeof apiKey === 'string' ? apiKey : null,
      status: 'unhealthy',
    };
    const probe = await probeServer(server);
    server.status = probe.healthy ? 'healthy' : 'unhealthy';
    this.records.servers.set(server.id, server);
    return json(200, {
      id: server.id,
      status: server.status,
      health_check_result: probe.healthy ? { server_info: probe.info } : { error: probe.error },
    });
  }

  status({ url }: PlatformCall): PlatformReply {
    const server = this.records.servers.get(idIn(url));
    return server ? json(200, { id: server.id, status: server.status }) : json(404, { error: 'not_found' });
  }

  deregister({ url }: PlatformCall): PlatformReply {
    return this.records.servers.delete(idIn(url)) ? json(200, { deleted: true }) : json(404, { error: 'not_found' });
  }
}

function idIn(url: URL): string {
  return decodeURIComponent(url.pathname.split('/').at(-1) ?? '');
}

async function probeServer({ host, port, apiKey }: RegisteredServer): Promise<Probe> {
  const authority = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  const path = apiKey === null ? '/health' : '/platform/health';
  try {
    const { statusCode, body } = await request(`http://${authority}${path}`, {
      headers: apiKey === null ? {} : { authorization: `Bearer ${apiKey}` },
      signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
    });
    const text = await body.text();
    if (statusCode !== 200) return { healthy: false, error: `The health check answered HTTP ${statusCode}` };
    return { healthy: true, info: JSON.parse(text) };
  } catch (error) {
    return {
      healthy: false,
      error: `The health check failed: ${describeThrown(error)}`,
    };
  }
}
