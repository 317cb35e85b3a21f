import { PeerError } from '#domain';
import type { ResolvedModel } from './model.resolver.js';

/** What went wrong between us and a model provider. */
export type ProviderFaultKind =
  | 'authentication'
  | 'permission'
  | 'quota'
  | 'rate_limit'
  | 'not_found'
  | 'context_length'
  | 'content_filter'
  | 'parameter'
  | 'refused'
  | 'server'
  | 'timeout'
  | 'connection'
  | 'protocol';

const CODES = {
  authentication: 'PEER_REFUSED',
  permission: 'PEER_REFUSED',
  quota: 'PEER_REFUSED',
  rate_limit: 'PEER_ERROR',
  not_found: 'PEER_REFUSED',
  context_length: 'PEER_REFUSED',
  content_filter: 'PEER_REFUSED',
  parameter: 'PEER_REFUSED',
  refused: 'PEER_REFUSED',
  server: 'PEER_ERROR',
  timeout: 'TIMEOUT',
  connection: 'TRANSPORT',
  protocol: 'PROTOCOL',
} as const satisfies Record<ProviderFaultKind, PeerError['code']>;

/** Kinds that another try of the same request may cure. */
const PASSING: ReadonlySet<ProviderFaultKind> = new Set(['rate_limit', 'server', 'timeout', 'connection']);

/** Kinds that every further request to the provider would meet as well (spec F.3). */
const SYSTEMIC: ReadonlySet<ProviderFaultKind> = new Set([
  'authentication',
  'permission',
  'quota',
  'not_found',
  'connection',
]);

export interface ProviderFault {
  readonly kind: ProviderFaultKind;
  readonly provider: string;
  readonly model: string;
  /** What the provider said, without keys. */
  readonly detail: string;
  readonly status?: number;
  readonly retryAfterMs?: number;
  /** The request parameter the provider names as the cause. */
  readonly parameter?: string;
}

/** A model provider that could not be asked, or did not answer as asked. */
export class ProviderRequestError extends PeerError {
  readonly kind: ProviderFaultKind;
  readonly provider: string;
  readonly model: string;
  readonly detail: string;
  readonly parameter: string | undefined;

  constructor(fault: ProviderFault) {
    const { kind, provider, model, detail, status, parameter } = fault;
    super(CODES[kind], `Provider '${provider}', model '${model}': ${detail}`, {
      status,
      retryAfterMs: fault.retryAfterMs,
      retryable: PASSING.has(kind) || kind === 'protocol',
      details: { kind, provider, model, ...(status !== undefined && { status }), ...(parameter && { parameter }) },
    });
    this.kind = kind;
    this.provider = provider;
    this.model = model;
    this.detail = detail;
    this.parameter = parameter;
  }

  /** Whether the client itself tries again. A protocol fault is not tried again: the sample was taken and paid for. */
  get isPassing(): boolean {
    return PASSING.has(this.kind);
  }

  /** Whether it is no use to go on with further requests. */
  get isSystemic(): boolean {
    return SYSTEMIC.has(this.kind);
  }
}

/** The provider does not know the model, or the key has no access to it. */
export class ModelNotFoundError extends ProviderRequestError {
  constructor(fault: Omit<ProviderFault, 'kind'>) {
    super({ ...fault, kind: 'not_found' });
  }
}

/** Makes the error for a model. Whatever was said, the key is not in it: some servers repeat what they were sent. */
export function providerError(
  model: ResolvedModel,
  fault: Omit<ProviderFault, 'provider' | 'model'>,
): ProviderRequestError {
  const key = model.key?.reveal();
  const detail = key ? fault.detail.replaceAll(key, '[secret]') : fault.detail;
  const whole = { ...fault, detail, provider: model.provider, model: model.model };
  return fault.kind === 'not_found' ? new ModelNotFoundError(whole) : new ProviderRequestError(whole);
}

/** The error for an answer that did not come within the model's time limit. */
export function timeoutError(model: ResolvedModel): ProviderRequestError {
  const detail = `no answer within the timeout of ${model.timeoutMs / 1000} s (model_info.timeout)`;
  return providerError(model, { kind: 'timeout', detail });
}
