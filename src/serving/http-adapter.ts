import { FastifyAdapter } from '@nestjs/platform-fastify';
import { loadRouteSchemasLate } from '#trainers';

/** 256 code points, each of which may take twelve characters in a URL. */
const LONGEST_ROLLOUT_ID = 256 * 12;

/** Fastify as a server of rollouts needs it. */
export function createHttpAdapter(): FastifyAdapter {
  return loadRouteSchemasLate(
    (schemaController) =>
      new FastifyAdapter({
        // By the time the server closes every rollout has drained; what is left are idle clients.
        forceCloseConnections: true,
        routerOptions: { maxParamLength: LONGEST_ROLLOUT_ID },
        schemaController,
      }),
  );
}
