import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { UnsupportedMediaTypeException } from '@nestjs/common';
import { OsmosisError } from '#domain';
import type { FastifyInstance, FastifyRequest, preParsingHookHandler } from 'fastify';
import { parseBody, type ParsedBody } from './body.js';
import { osmosisRouteOf } from './route-config.js';

/** A content type of our own, that no client sends: its parser hands the body on unread. */
const RAW_TYPE = 'application/vnd.nestjs-osmosis.raw';

/** Of a request: what its client said, while the header holds {@link RAW_TYPE}. */
const SENT_TYPE = Symbol('sent content type');

interface ClaimedMessage extends IncomingMessage {
  [SENT_TYPE]?: { readonly type: string | undefined };
}

/**
 * Lets our routes (marked with `rawBody`) read their bodies themselves, as bytes of any content type, and only after the
 * guards have passed: an unauthenticated caller makes nobody buffer 64 MiB. The host's own routes, parsers and limits
 * stay as they are.
 *
 * Fastify chooses a parser for the whole instance by content type. So a marked route swaps the header for a private type
 * just before parsing, and that type's parser puts the header back. To be called before the routes are registered.
 */
export function handBodiesOnUnread(instance: FastifyInstance): void {
  if (instance.hasContentTypeParser(RAW_TYPE)) return;
  instance.addContentTypeParser(RAW_TYPE, (request, payload, done) => {
    const sent = (request.raw as ClaimedMessage)[SENT_TYPE];
    if (!sent) {
      done(new UnsupportedMediaTypeException());
      return;
    }
    setContentType(request, sent.type);
    done(null, payload);
  });
  instance.addHook('onRoute', (route) => {
    if (!osmosisRouteOf(route.config)?.rawBody) return;
    route.preParsing = [...[route.preParsing ?? []].flat(), claimBody];
  });
}

const claimBody: preParsingHookHandler = (request, _reply, payload, done) => {
  (request.raw as ClaimedMessage)[SENT_TYPE] = { type: request.headers['content-type'] };
  setContentType(request, RAW_TYPE);
  done(null, payload);
};

function setContentType(request: FastifyRequest, type: string | undefined): void {
  if (type === undefined) delete request.raw.headers['content-type'];
  else request.raw.headers['content-type'] = type;
}

/**
 * An unread body as a JSON object.
 *
 * @throws what {@link readRawBody} and {@link parseBody} throw
 */
export function readJsonBody(request: FastifyRequest, limitBytes: number): ParsedBody | Promise<ParsedBody> {
  const raw = readRawBody(request, limitBytes);
  const parse = (bytes: Buffer): ParsedBody => parseBody(bytes, request.headers['content-type']);
  return raw instanceof Promise ? raw.then(parse) : parse(raw);
}

/**
 * The bytes of an unread body; at once when they have all come, as those of small bodies have.
 *
 * @throws OsmosisError `BODY_TOO_LARGE` above the limit (case NT-13), `BODY_UNREADABLE` when the client went away, or when
 *   a hook or middleware of the host has consumed the body
 */
export function readRawBody(request: FastifyRequest, limitBytes: number): Buffer | Promise<Buffer> {
  const body = request.body;
  if (body === undefined || body === null) return Buffer.alloc(0);
  if (!(body instanceof Readable)) throw consumed();
  const length = Number(request.headers['content-length']);
  if (length > limitBytes) throw tooLarge(limitBytes);
  return readAtOnce(body, length) ?? collect(body, limitBytes);
}

/** A body that has come in one piece with its head, as small ones do: no events to wait for. */
function readAtOnce(body: Readable, length: number): Buffer | null {
  if (body.readableLength !== length || length === 0 || body.readableFlowing !== null) return null;
  return body.read(length) as Buffer | null;
}

function collect(body: Readable, limitBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (body.readableEnded) return reject(consumed());
    const chunks: Buffer[] = [];
    let length = 0;
    const stop = (): void => {
      body.off('data', onData).off('end', onEnd).off('close', onClose);
    };
    const onData = (chunk: Buffer): void => {
      length += chunk.length;
      if (length > limitBytes) {
        stop();
        reject(tooLarge(limitBytes));
        return;
      }
      chunks.push(chunk);
    };
    const onEnd = (): void => {
      stop();
      const [first] = chunks;
      resolve(chunks.length === 1 && first ? first : Buffer.concat(chunks, length));
    };
    const onClose = (error?: Error): void => {
      stop();
      reject(
        new OsmosisError('BODY_UNREADABLE', 'The connection closed before the body was complete', { cause: error }),
      );
    };
    // The error handler stays: a second error of an abandoned stream must not end the process.
    body.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
  });
}

function tooLarge(limitBytes: number): OsmosisError {
  return new OsmosisError(
    'BODY_TOO_LARGE',
    `Request body too large: the limit is ${limitBytes} bytes. Send less, or raise the server's bodyLimitBytes.`,
    { details: { limitBytes } },
  );
}

function consumed(): OsmosisError {
  return new OsmosisError(
    'BODY_UNREADABLE',
    'The body was consumed by a hook or middleware of the host application before this route could read it. ' +
      'Leave the Osmosis routes out of body-parsing middleware.',
  );
}
