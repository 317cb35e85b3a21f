import { providerError, ProviderRequestError } from './provider.error.js';
import type { ResolvedModel } from './model.resolver.js';

const TLS_CODE = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS|ERR_SSL/;

/**
 * What kept a request from being answered, from the innermost cause: the outer ones only say "fetch failed" (case NT-12).
 * The error itself is not kept as a cause, since it may hold the request with its headers (case AU-05).
 */
export function connectionFault(error: unknown, model: ResolvedModel): Error {
  if (error instanceof ProviderRequestError) return error;
  const cause = innermost(error);
  const code = codeOf(cause);
  const text = [code, cause instanceof Error ? cause.message : String(cause)].filter(Boolean).join(': ');
  const hint = TLS_CODE.test(code ?? '')
    ? ". The server's certificate is not trusted; if it is your own, name its authority in NODE_EXTRA_CA_CERTS"
    : '';
  return providerError(model, { kind: 'connection', detail: `could not reach ${model.baseUrl}: ${text}${hint}` });
}

function innermost(error: unknown): unknown {
  let current = error;
  for (let depth = 0; depth < 8; depth++) {
    const inner: unknown =
      current instanceof AggregateError ? current.errors[0] : current instanceof Error ? current.cause : undefined;
    if (inner === undefined) break;
    current = inner;
  }
  return current;
}

function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
