import type { ArgumentsHost } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { osmosisRouteOf } from './route-config.js';

/**
 * True for everything this package runs through Nest: its HTTP routes, and the tools, rewards and loops of agents, whose
 * context types begin with `osmosis`. A host's global guards, interceptors and filters ask this to leave them alone
 * (case NE-13):
 *
 * ```ts
 * canActivate(context: ExecutionContext) {
 *   if (isOsmosisContext(context)) return true; // the trainer has its own API key
 *   …
 * }
 * ```
 */
export function isOsmosisContext(context: ArgumentsHost): boolean {
  const type = context.getType<string>();
  if (type.startsWith('osmosis')) return true;
  if (type !== 'http') return false;
  const request = context.switchToHttp().getRequest<FastifyRequest | undefined>();
  return osmosisRouteOf(request?.routeOptions?.config) !== undefined;
}
