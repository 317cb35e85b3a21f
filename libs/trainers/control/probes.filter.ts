import { Catch, ServiceUnavailableException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply } from 'fastify';

/** Terminus throws its result when something is down; it is the answer, whatever filters the host has. */
@Catch(ServiceUnavailableException)
export class ProbesFilter implements ExceptionFilter<ServiceUnavailableException> {
  catch(error: ServiceUnavailableException, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    void reply.status(503).send(error.getResponse());
  }
}
