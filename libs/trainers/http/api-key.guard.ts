import { hash, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { hasControlCharacters, OsmosisError, Secret } from '#domain';
import type { FastifyRequest } from 'fastify';
import { TRAINER_HTTP_OPTIONS, type ApiKeyOption, type TrainerHttpOptions } from './http.options.js';
import { pythonSplit, pythonStrip } from './wire-text.js';

/**
 * Lets a request pass that carries one of the server's keys as bearer. Without a configured key everybody passes.
 *
 * Keys and tokens are compared as SHA-256 digests in constant time, every key each time: neither a key's length nor
 * which key matched shows in the duration (case AU-03).
 */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  readonly #digests: readonly Buffer[];
  /** False when no key is configured, and the routes are open. An empty key counts: it is on and nothing matches it. */
  readonly isConfigured: boolean;

  constructor(@Inject(TRAINER_HTTP_OPTIONS) options: TrainerHttpOptions) {
    const keys = [options.apiKeys ?? []].flat();
    this.isConfigured = keys.length > 0;
    this.#digests = keys
      .map(keyText)
      .filter((key) => key !== '')
      .map((key) => sha256(Buffer.from(key)));
  }

  /** @throws OsmosisError `UNAUTHORIZED` */
  canActivate(context: ExecutionContext): true {
    if (!this.isConfigured) return true;
    // `switchToHttp` would make three closures for each request.
    const header = context.getArgByIndex<FastifyRequest>(0).headers.authorization;
    if (this.#matches(parseBearerToken(header))) return true;
    throw new OsmosisError('UNAUTHORIZED', 'Invalid or missing API key');
  }

  #matches(token: string | null): boolean {
    if (token === null) return false;
    // Node gives header bytes as Latin-1. Taken as bytes, any value is compared and none is an error (spec 13.26).
    const digest = sha256(Buffer.from(token, 'latin1'));
    let matches = false;
    for (const key of this.#digests) matches = timingSafeEqual(digest, key) || matches;
    return matches;
  }
}

const USUAL_FORM = /^Bearer ([!-~]+)$/;

/**
 * The token of an `Authorization` header (spec 1.9): what follows `Bearer` in any case, or, when the value has another
 * form, the whole value. Null when there is none.
 */
export function parseBearerToken(header: string | null | undefined): string | null {
  const usual = USUAL_FORM.exec(header ?? '')?.[1];
  if (usual !== undefined) return usual;
  const parts = pythonSplit(header ?? '');
  const [scheme = '', token = ''] = parts;
  if (parts.length === 2 && scheme.toLowerCase() === 'bearer') return token;
  return pythonStrip(header ?? '') || null;
}

function keyText(key: ApiKeyOption): string {
  const text = (key instanceof Secret ? key.reveal() : key).trim();
  if (hasControlCharacters(text)) {
    throw new OsmosisError(
      'CONFIG_INVALID',
      'An API key of the server contains control characters, which no HTTP header can carry. ' +
        'Look for line breaks inside the key (those around it are dropped).',
    );
  }
  return text;
}

function sha256(bytes: Buffer): Buffer {
  return hash('sha256', bytes, 'buffer');
}
