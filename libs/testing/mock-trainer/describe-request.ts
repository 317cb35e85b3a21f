import type { FastifyRequest } from 'fastify';
import { RecordedRequest } from '../request-recorder.js';

/** The request as a test sees it. Its body has been read, but by no parser. */
export function describeRequest(request: FastifyRequest): RecordedRequest {
  const rawBody = Buffer.isBuffer(request.body) ? request.body.toString('utf8') : '';
  return new RecordedRequest(request.method, request.url, request.headers, rawBody, Date.now());
}
