import { BlockList, isIP } from 'node:net';

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d{2}|[1-9]?\d)(?:\.(?!$)|$)){4}$/;
const LABEL = /^(?!-)[A-Za-z0-9_-]{1,63}(?<!-)$/;
const LONGEST_HOST = 253;
const LONGEST_HOST_AND_PORT = 260;

/** Addresses that are not reachable from the internet: the ranges of spec 9.5. */
const NOT_GLOBAL = new BlockList();
const NOT_GLOBAL_V4: readonly (readonly [network: string, prefix: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 29],
  ['192.0.0.170', 31],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['240.0.0.0', 4],
];
const NOT_GLOBAL_V6: readonly (readonly [network: string, prefix: number])[] = [
  ['::', 128],
  ['::1', 128],
  ['100::', 64],
  ['2001:2::', 48],
  ['2001:db8::', 32],
  ['2001:10::', 28],
  ['fc00::', 7],
  ['fe80::', 10],
];
for (const [network, prefix] of NOT_GLOBAL_V4) NOT_GLOBAL.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of NOT_GLOBAL_V6) NOT_GLOBAL.addSubnet(network, prefix, 'ipv6');

/** A dotted quad and nothing else: no leading zeros, no blanks around it (spec 12.10). */
export function isIpv4(text: string): boolean {
  return IPV4.test(text);
}

export function isIpv6(text: string): boolean {
  return isIP(text) === 6 && !text.includes('%');
}

/** True for loopback, private, link-local and reserved addresses of either family; false for what is no address. */
export function isPrivateIp(text: string): boolean {
  const family = isIP(text);
  if (family === 0) return false;
  return NOT_GLOBAL.check(text, family === 4 ? 'ipv4' : 'ipv6');
}

/**
 * A host name or IPv4 address, with or without a port (spec 9.5). Also true for an IPv6 address in brackets, which the
 * Python SDK does not know.
 */
export function isValidHostnameOrIp(text: string): boolean {
  if (text === '' || text.length > LONGEST_HOST_AND_PORT) return false;
  const host = text.replace(/:\d+$/, '');
  if (host.startsWith('[') && host.endsWith(']')) return isIpv6(host.slice(1, -1));
  return host.length <= LONGEST_HOST && host.split('.').every((label) => LABEL.test(label));
}

/** Listening on it means listening on every address of the machine. */
export function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::' || host === '[::]';
}
