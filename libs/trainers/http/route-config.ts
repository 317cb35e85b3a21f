import { RouteConfig } from '@nestjs/platform-fastify';

/** What our routes tell Fastify about themselves. */
export interface OsmosisRoute {
  /** The handler reads the unread body itself, see {@link readRawBody}. */
  readonly rawBody: boolean;
}

const KEY = 'osmosis';

/** Marks a handler as one of our routes, for the Fastify hooks and for {@link isOsmosisContext}. */
export function OsmosisRouteConfig(route: OsmosisRoute): MethodDecorator {
  return RouteConfig({ [KEY]: route });
}

/** The mark in a Fastify route's `config`, when it is one of our routes. */
export function osmosisRouteOf(config: object | undefined): OsmosisRoute | undefined {
  return config && KEY in config ? (config[KEY] as OsmosisRoute) : undefined;
}
