import {
  Catch,
  HttpException,
  Logger,
  NotFoundException,
  type ArgumentsHost,
  type ExceptionFilter,
} from '@nestjs/common';
import { OsmosisError } from '#domain';
import { InvalidRequestError } from '#trainers';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DroppedConnection, HttpAnswer, httpAnswer } from '../mock-model/answers.js';
import { CHAT_PATH, COMPLETED_PATH } from '../request-recorder.js';
import { WireEnding } from './wire-ending.js';

const ALLOWED_METHOD: ReadonlyMap<string, string> = new Map([
  [CHAT_PATH, 'POST'],
  [COMPLETED_PATH, 'POST'],
  ['/health', 'GET'],
]);

/** Writes every ending that is no plain answer of a route, errors in the reference's shapes (spec 1.7). */
@Catch()
export class MockTrainerFilter implements ExceptionFilter {
  readonly #logger = new Logger('MockTrainer');

  catch(exception: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const reply = http.getResponse<FastifyReply>();
    const ending = this.#endingOf(exception, http.getRequest<FastifyRequest>());
    if (ending instanceof DroppedConnection) {
      reply.hijack();
      reply.raw.destroy();
      return;
    }
    void reply.status(ending.status).headers(ending.headers).send(ending.body);
  }

  #endingOf(exception: unknown, request: FastifyRequest): HttpAnswer | DroppedConnection {
    if (exception instanceof WireEnding) return exception.ending;
    if (exception instanceof InvalidRequestError) return httpAnswer(422, { body: { detail: exception.faults } });
    if (OsmosisError.is(exception)) return httpAnswer(exception.httpStatus, { body: { detail: exception.message } });
    if (exception instanceof NotFoundException) return notFound(request);
    if (exception instanceof HttpException) {
      return httpAnswer(exception.getStatus(), { body: { detail: exception.message } });
    }
    this.#logger.error(exception);
    return httpAnswer(500, { body: 'Internal Server Error', headers: { 'content-type': 'text/plain; charset=utf-8' } });
  }
}

function notFound(request: FastifyRequest): HttpAnswer {
  const allow = ALLOWED_METHOD.get(request.url);
  if (allow === undefined) return httpAnswer(404, { body: { detail: 'Not Found' } });
  return httpAnswer(405, { body: { detail: 'Method Not Allowed' }, headers: { allow } });
}
