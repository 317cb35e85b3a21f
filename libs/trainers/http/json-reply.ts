import type { FastifyReply } from 'fastify';

/** `application/json` as the reference sends it: bytes, because Fastify adds a charset to strings and objects. */
export const JSON_TYPE = 'application/json';

/** A body for routes that say `application/json` themselves. */
export function jsonBytes(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

/** Answers with `{"detail": …}`, the shape of every error of the dialect (spec 1.7). */
export function sendDetail(reply: FastifyReply, status: number, detail: unknown): void {
  void reply.code(status).header('content-type', JSON_TYPE).send(jsonBytes({ detail }));
}
