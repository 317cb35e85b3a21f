import { isIpv4, isIpv6 } from './ip-address.js';

/** One HTTP exchange of a source. Rejects or gives null for anything but a 200. */
export type Fetch = (url: string, init: SourceRequest) => Promise<string | null>;

export interface SourceRequest {
  readonly method: 'GET' | 'PUT';
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Asks one place for this machine's public address; null when it does not know. */
export type PublicIpSource = (fetch: Fetch, signal: AbortSignal) => Promise<string | null>;

const METADATA_TIMEOUT_MS = 2_000;
const SERVICE_TIMEOUT_MS = 10_000;

/** Where the instance metadata lives on all three clouds; another one only in tests. */
export const METADATA_URL = 'http://169.254.169.254';

/** The public pages of spec 9.5. */
export const ADDRESS_SERVICES: readonly string[] = [
  'https://checkip.amazonaws.com',
  'https://api.ipify.org',
  'https://icanhazip.com',
  'https://ifconfig.me/ip',
];

/** The metadata services of AWS, GCP and Azure (spec 9.5): each knows the address without leaving the machine's cloud. */
export function cloudSources(metadataUrl: string): readonly PublicIpSource[] {
  return [
    async (fetch, signal) => {
      const token = await fetch(`${metadataUrl}/latest/api/token`, {
        method: 'PUT',
        headers: { 'X-aws-ec2-metadata-token-ttl-seconds': '60' },
        timeoutMs: METADATA_TIMEOUT_MS,
        signal,
      });
      const trimmed = token?.trim();
      if (!trimmed) return null;
      return metadata('/latest/meta-data/public-ipv4', { 'X-aws-ec2-metadata-token': trimmed })(fetch, signal);
    },
    metadata('/computeMetadata/v1/instance/network-interfaces/0/access-configs/0/external-ip', {
      'Metadata-Flavor': 'Google',
    }),
    metadata(
      '/metadata/instance/network/interface/0/ipv4/ipAddress/0/publicIpAddress?api-version=2021-02-01&format=text',
      { Metadata: 'true' },
    ),
  ];

  function metadata(path: string, headers: Readonly<Record<string, string>>): PublicIpSource {
    return async (fetch, signal) => {
      const timeoutMs = METADATA_TIMEOUT_MS;
      return addressIn(await fetch(`${metadataUrl}${path}`, { method: 'GET', headers, timeoutMs, signal }));
    };
  }
}

export function serviceSources(urls: readonly string[]): readonly PublicIpSource[] {
  return urls.map((url) => async (fetch, signal) => {
    return addressIn(await fetch(url, { method: 'GET', timeoutMs: SERVICE_TIMEOUT_MS, signal }));
  });
}

/** The text is an address and nothing else, but for white space around it. */
function addressIn(text: string | null): string | null {
  const address = text?.trim() ?? '';
  return isIpv4(address) || isIpv6(address) ? address : null;
}
