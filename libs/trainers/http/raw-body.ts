import { Readable } from 'node:stream';
import { UnsupportedMediaTypeException } from '@nestjs/common';
import { OsmosisError } from '#domain';
import type { FastifyInstance, FastifyRequest, preParsingHookHandler } from 'fastify';
import { parseBody, type ParsedBody } from './body.js';
import { osmosisRouteOf } from './route-config.js';

/** A content type of our own, that no client sends: its parser hands the body on unread. */
const RAW_TYPE = 'application/vnd.nestjs-osmosis.raw';

/** What clients said, while the header holds {@link RAW_TYPE}. */
const sentTypes = new WeakMap<FastifyRequest, string | undefined>();

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
    if (!sentTypes.has(request)) {
      done(new UnsupportedMediaTypeException());
      return;
    }
    setContentType(request, sentTypes.get(request));
    done(null, payload);
  });
  instance.addHook('onRoute', (route) => {
    if (!osmosisRouteOf(route.config)?.rawBody) return;
    route.preParsing = [...[route.preParsing ?? []].flat(), claimBody];
  });
}

const claimBody: preParsingHookHandler = (request, _reply, payload, done) => {
  sentTypes.set(request, request.headers['content-type']);
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
export async function readJsonBody(request: FastifyRequest, limitBytes: number): Promise<ParsedBody> {
  return parseBody(await readRawBody(request, limitBytes), request.headers['content-type']);
}

/**
 * The bytes of an unread body.
 *
 * @throws OsmosisError `BODY_TOO_LARGE` above the limit (case NT-13), `BODY_UNREADABLE` when the client went away, or when
 *   a hook or middleware of the host has consumed the body
 */
export async function readRawBody(request: FastifyRequest, limitBytes: number): Promise<Buffer> {
  const body = request.body;
  if (body === undefined || body === null) return Buffer.alloc(0);
  if (!(body instanceof Readable)) throw consumed();
  const length = Number(request.headers['content-length']);
  if (length > limitBytes) throw tooLarge(limitBytes);
  return readAtOnce(body, length) ?? collect(body, limitBytes);
}

/** A body that has come in one piece with its head, as small ones do: no events to wait for (6 µs of an init). */
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
