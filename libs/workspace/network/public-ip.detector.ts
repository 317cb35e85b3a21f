import type { Agent, request as Request } from 'undici';
import { OsmosisError } from '#domain';
import type { WorkspaceSettings } from '../workspace.settings.js';
import { isIpv4 } from './ip-address.js';
import { cloudSources, serviceSources, type Fetch, type PublicIpSource } from './public-ip.sources.js';

/** No source knew this machine's public address. */
export class PublicIpDetectionError extends OsmosisError {
  constructor() {
    super(
      'PUBLIC_ADDRESS_UNKNOWN',
      'Failed to detect public IP: neither Cloud metadata (AWS, GCP, Azure) nor External IP services gave one. ' +
        'Please provide an explicit host address.',
    );
  }
}

export interface DetectionOptions {
  /** Take an IPv6 address when there is no IPv4 one. */
  readonly ipv6?: boolean;
  readonly signal?: AbortSignal;
}

const LONGEST_ANSWER = 1_024;

/**
 * This machine's address on the internet (spec 9.5). The clouds are asked first, then public services; within each round
 * the first good answer ends it, and whoever is slower is cut off. Never goes through a proxy: it would give the proxy's
 * address.
 */
export class PublicIpDetector {
  constructor(private readonly settings: WorkspaceSettings) {}

  /** @throws PublicIpDetectionError, or the signal's reason */
  async detect({ ipv6 = false, signal }: DetectionOptions = {}): Promise<string> {
    const { metadataUrl, addressServices } = this.settings;
    const { Agent, request } = await import('undici');
    const agent = new Agent();
    try {
      for (const sources of [cloudSources(metadataUrl), serviceSources(addressServices)]) {
        const address = await firstAddress(sources, fetchThrough(agent, request), { ipv6, signal });
        signal?.throwIfAborted();
        if (address !== null) return address;
      }
    } finally {
      // Not awaited: a connection that hangs must not hold back the answer.
      void agent.destroy();
    }
    throw new PublicIpDetectionError();
  }
}

/** Resolves at the first IPv4 address; with an IPv6 one, or null, only when every source has had its say. */
async function firstAddress(
  sources: readonly PublicIpSource[],
  fetch: Fetch,
  { ipv6, signal }: { readonly ipv6: boolean; readonly signal?: AbortSignal },
): Promise<string | null> {
  const over = new AbortController();
  const together = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
  try {
    return await new Promise<string | null>((resolve) => {
      let secondChoice: string | null = null;
      const asked = sources.map(async (source) => {
        const address = await source(fetch, together).catch(() => null);
        if (address === null) return;
        if (isIpv4(address)) resolve(address);
        else if (ipv6) secondChoice ??= address;
      });
      void Promise.all(asked).then(() => resolve(secondChoice));
    });
  } finally {
    over.abort();
  }
}

function fetchThrough(dispatcher: Agent, request: typeof Request): Fetch {
  return async (url, { method, headers, timeoutMs, signal }) => {
    const { statusCode, body } = await request(url, {
      dispatcher,
      method,
      headers,
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    if (statusCode !== 200) {
      await body.dump();
      return null;
    }
    const text = await body.text();
    return text.length > LONGEST_ANSWER ? null : text;
  };
}
