import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { sendDetail } from './json-reply.js';
import { osmosisRouteOf } from './route-config.js';

/** Path → methods of our routes, prefix and version of the host included. */
export type KnownRoutes = ReadonlyMap<string, ReadonlySet<string>>;

/** Notes our routes as the host registers them. To be called before the routes are registered. */
export function collectRoutes(instance: FastifyInstance): KnownRoutes {
  const routes = new Map<string, Set<string>>();
  instance.addHook('onRoute', (route: RouteOptions) => {
    if (!osmosisRouteOf(route.config)) return;
    const methods = routes.get(route.url) ?? new Set();
    for (const method of [route.method].flat()) methods.add(method);
    routes.set(route.url, methods);
  });
  return routes;
}

/**
 * What the reference answers around its routes (spec 1.7): 405 with `Allow` for another method, 307 for a trailing
 * slash. Routes of the host on the same paths go first. To be called after all routes are registered.
 */
export function addFallbackRoutes(instance: FastifyInstance, routes: KnownRoutes): void {
  for (const [url, methods] of routes) {
    const allow = [...methods].sort().join(', ');
    addForFreeMethods(instance, url, (_request, reply) => {
      reply.header('allow', allow);
      sendDetail(reply, 405, 'Method Not Allowed');
    });
    addForFreeMethods(instance, `${url}/`, (request, reply) => {
      void reply.code(307).header('location', withoutTrailingSlash(request)).send();
    });
  }
}

type Answer = (request: FastifyRequest, reply: FastifyReply) => void;

function addForFreeMethods(instance: FastifyInstance, url: string, answer: Answer): void {
  const free = instance.supportedMethods.filter((method) => !instance.hasRoute({ method, url }));
  if (free.length === 0) return;
  // Already in onRequest, so that no parser refuses the body's content type first.
  instance.route({
    method: free,
    url,
    onRequest: (request, reply, _next) => answer(request, reply),
    handler: answer,
  });
}

/** Absolute when the request names its host. Built from the raw target, so that escapes stay escaped. */
function withoutTrailingSlash(request: FastifyRequest): string {
  const [path = '', ...query] = request.raw.url?.split('?') ?? [];
  const target = [path.replace(/\/+$/, ''), ...query].join('?');
  return request.host ? `${request.protocol}://${request.host}${target}` : target;
}
