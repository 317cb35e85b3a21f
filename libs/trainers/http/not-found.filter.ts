import { Catch, NotFoundException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { sendDetail } from './json-reply.js';

/**
 * For servers that serve nothing else: unknown paths answer `{"detail":"Not Found"}` (spec 1.7) in place of Nest's own
 * body. Opt in with `app.useGlobalFilters(new OsmosisNotFoundFilter())`. It takes the `NotFoundException`s of the host's
 * own controllers as well.
 */
@Catch(NotFoundException)
export class OsmosisNotFoundFilter implements ExceptionFilter<NotFoundException> {
  catch(_error: NotFoundException, host: ArgumentsHost): void {
    sendDetail(host.switchToHttp().getResponse<FastifyReply>(), 404, 'Not Found');
  }
}
