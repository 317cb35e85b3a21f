import { ConfigurableModuleBuilder } from '@nestjs/common';
import { OsmosisError, systemClock, type Clock } from '#domain';

export interface HttpTransportOptions {
  /** Milliseconds for DNS, TCP and TLS of one connection. Default 10,000. */
  readonly connectTimeoutMs?: number;
  /** Bytes of one answer at most, decoded. Default 64 MiB. */
  readonly maxResponseBytes?: number;
  /** Trainers whose idle connections are kept at a time. Default 256. */
  readonly maxOrigins?: number;
  /** Calls under way at once, over all trainers; further ones wait for their turn. Default: unlimited. */
  readonly maxConnections?: number;
  /** Idle connections kept for the next call, over all trainers. Default: unlimited. */
  readonly maxIdleConnections?: number;
  /** Default: the system's. */
  readonly clock?: Clock;
}

const DEFAULTS = {
  connectTimeoutMs: 10_000,
  maxResponseBytes: 64 * 1024 * 1024,
  maxOrigins: 256,
  maxConnections: Number.MAX_SAFE_INTEGER,
  maxIdleConnections: Number.MAX_SAFE_INTEGER,
  clock: systemClock,
};

const COUNTS = [
  'connectTimeoutMs',
  'maxResponseBytes',
  'maxOrigins',
  'maxConnections',
  'maxIdleConnections',
] as const satisfies readonly (keyof HttpTransportOptions)[];

/** @throws OsmosisError CONFIG_INVALID naming the option */
export function resolveTransportOptions(options: HttpTransportOptions): Required<HttpTransportOptions> {
  const resolved = { ...DEFAULTS, ...definedOnly(options) };
  for (const name of COUNTS) {
    if (Number.isSafeInteger(resolved[name]) && resolved[name] > 0) continue;
    throw new OsmosisError(
      'CONFIG_INVALID',
      `The transport's ${name} must be a positive integer, not ${resolved[name]}.`,
    );
  }
  return resolved;
}

function definedOnly(options: HttpTransportOptions): HttpTransportOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

export const { ConfigurableModuleClass: TransportModuleBase, MODULE_OPTIONS_TOKEN: HTTP_TRANSPORT_OPTIONS } =
  new ConfigurableModuleBuilder<HttpTransportOptions>({ moduleName: 'OsmosisTransport' })
    .setClassMethodName('forRoot')
    .setExtras({ isGlobal: true }, (definition, extras) => ({ ...definition, global: extras.isGlobal }))
    .build();
