import { Catch, HttpException, Logger, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { describeThrown, OsmosisError } from '#domain';
import type { FastifyReply } from 'fastify';
import { sendDetail } from './json-reply.js';
import { InvalidRequestError, UnfitRequestError, type RequestFault } from './request-fault.js';

const DEFAULT_RETRY_AFTER_SECONDS = 1;

/** Turns every error of our routes into the dialect's shape (spec 1.7): `{"detail": …}`, without internals. */
@Catch()
export class TrainerErrorsFilter implements ExceptionFilter {
  private readonly logger = new Logger(TrainerErrorsFilter.name);

  catch(error: unknown, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    if (reply.sent) return;
    const status = statusOf(error);
    if (status === 401) reply.header('www-authenticate', 'Bearer');
    if (status === 429 || status === 503) reply.header('retry-after', retryAfterSeconds(error));
    if (status === 500) this.logger.error(`A request failed: ${describeThrown(error)}`, stackOf(error));
    sendDetail(reply, status, detailOf(error, status));
  }
}

function statusOf(error: unknown): number {
  if (OsmosisError.is(error)) return error.httpStatus;
  return error instanceof HttpException ? error.getStatus() : 500;
}

function detailOf(error: unknown, status: number): string | readonly RequestFault[] {
  if (status === 500) return 'Internal Server Error';
  if (error instanceof InvalidRequestError) return error.faults;
  const message = describeThrown(error);
  return status === 422 && !(error instanceof UnfitRequestError)
    ? [{ type: 'value_error', loc: ['body'], msg: `Value error, ${message}` }]
    : message;
}

/** Whole seconds, as the header wants them. */
function retryAfterSeconds(error: unknown): number {
  const seconds = OsmosisError.is(error) ? error.details['retryAfterSeconds'] : undefined;
  return typeof seconds === 'number' && seconds > 0 ? Math.ceil(seconds) : DEFAULT_RETRY_AFTER_SECONDS;
}

function stackOf(error: unknown): string | undefined {
  return error instanceof Error ? error.stack : undefined;
}
