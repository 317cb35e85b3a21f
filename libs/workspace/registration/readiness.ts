import type { Agent } from 'undici';
import { systemClock } from '#domain';
import { isIpv6, isWildcard } from '../network/ip-address.js';
import { untilAborted } from './until-aborted.js';

const PROBE_TIMEOUT_MS = 1_000;

export interface ReadinessTimes {
  /** How long to wait in all. */
  readonly timeoutMs: number;
  /** Between two looks. */
  readonly intervalMs: number;
}

/** Where this process reaches its own server: the bound address, or the loopback of the same family for a wildcard. */
export function localAddress(host: string, port: number): string {
  const reachable = isWildcard(host) ? (host === '0.0.0.0' ? '127.0.0.1' : '::1') : host;
  return `http://${isIpv6(reachable) ? `[${reachable}]` : reachable}:${port}`;
}

/** True as soon as the server answers its health page; false when it does not within the time (spec 9.3). */
export async function isReady(
  { host, port }: { readonly host: string; readonly port: number },
  { timeoutMs, intervalMs }: ReadinessTimes,
  signal: AbortSignal,
): Promise<boolean> {
  const { Agent } = await import('undici');
  const deadline = systemClock.monotonic() + timeoutMs;
  const agent = new Agent();
  try {
    while (!signal.aborted && systemClock.monotonic() < deadline) {
      if (await answersHealth(`${localAddress(host, port)}/health`, agent, signal)) return true;
      await untilAborted(intervalMs, signal);
    }
    return false;
  } finally {
    void agent.destroy();
  }
}

async function answersHealth(url: string, dispatcher: Agent, signal: AbortSignal): Promise<boolean> {
  const { request } = await import('undici');
  try {
    const { statusCode, body } = await request(url, {
      dispatcher,
      signal: AbortSignal.any([signal, AbortSignal.timeout(PROBE_TIMEOUT_MS)]),
    });
    await body.dump();
    return statusCode === 200;
  } catch {
    return false;
  }
}
