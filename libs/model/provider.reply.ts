import { isRetryableStatus, parseRetryAfterMs } from '#domain';
import { providerError, type ProviderFaultKind, type ProviderRequestError } from './provider.error.js';
import { errorText, isRecord, snippet } from './reply.text.js';
import type { ResolvedModel } from './model.resolver.js';

/** An HTTP answer as it came: nothing is believed of it yet. */
export interface ProviderReply {
  readonly status: number;
  readonly contentType: string;
  readonly retryAfter: string | null;
  readonly location: string | null;
  readonly text: string;
}

/**
 * The JSON object of a successful answer.
 *
 * @throws ProviderRequestError for any other answer: a status that is no success, HTML from a proxy, broken JSON, or an
 *   error that travels in a 200 (OpenRouter does that)
 */
export function readReply(reply: ProviderReply, model: ResolvedModel, nowMs: number): Record<string, unknown> {
  if (reply.status < 200 || reply.status > 299) throw statusError(reply, model, nowMs);
  const body = parseJson(reply.text);
  if (!isRecord(body)) {
    const detail = `answered with ${reply.contentType || 'no content type'} where JSON was expected: ${snippet(reply.text)}`;
    throw providerError(model, { kind: 'protocol', status: reply.status, detail });
  }
  const inner = embeddedError(body);
  if (inner) {
    const status = typeof inner.code === 'number' ? inner.code : 500;
    throw statusError({ ...reply, status, text: JSON.stringify({ error: inner }) }, model, nowMs);
  }
  return body;
}

/** An error object beside, or inside, what should be the choices. */
function embeddedError(body: Record<string, unknown>): Record<string, unknown> | null {
  if (isRecord(body.error) && !Array.isArray(body.choices) && !Array.isArray(body.output)) return body.error;
  const choice: unknown = Array.isArray(body.choices) ? body.choices[0] : undefined;
  return isRecord(choice) && isRecord(choice.error) ? choice.error : null;
}

function statusError(reply: ProviderReply, model: ResolvedModel, nowMs: number): ProviderRequestError {
  const body = parseJson(reply.text);
  const said = errorText(body) ?? `${reply.contentType || 'no content type'}: ${snippet(reply.text)}`;
  const code = errorCode(body);
  const parameter = errorParameter(body);
  const kind = classify(reply.status, `${code} ${said}`, parameter);
  return providerError(model, {
    kind,
    status: reply.status,
    retryAfterMs: parseRetryAfterMs(reply.retryAfter, nowMs),
    parameter,
    detail: `HTTP ${reply.status}: ${said}${advice(kind, reply, model)}`,
  });
}

const CONTEXT_LENGTH =
  /context[ _-]?(length|window)|maximum context|prompt is too long|input (token count|is too long)|too many (input )?tokens/i;
const QUOTA =
  /insufficient[_ ](quota|funds|balance|credits)|billing|exceeded your current quota|credit balance|out of credits/i;
const BAD_KEY = /api[ _-]?key (is )?(not valid|invalid)|invalid[ _]api[ _-]?key|incorrect api key/i;
const NO_MODEL = /model[_ ]not[_ ]found|not a valid model|model\b.{0,80}\b(does not exist|not found|is not available)/i;
const BLOCKED = /content[_ ]?(filter|policy|management)|responsible ?ai|safety/i;

/** Parameters whose fault is the text's or the name's. */
const CONTENT_PARAMETERS = new Set(['model', 'messages', 'input', 'prompt']);

function classify(status: number, all: string, parameter: string | undefined): ProviderFaultKind {
  if (status === 401) return 'authentication';
  if (status === 402) return 'quota';
  if (status === 404) return 'not_found';
  if (status === 413) return 'context_length';
  if (status === 429) return QUOTA.test(all) ? 'quota' : 'rate_limit';
  if (isRetryableStatus(status)) return 'server';
  if (BAD_KEY.test(all)) return 'authentication';
  if (status === 400 && parameter !== undefined && !CONTENT_PARAMETERS.has(parameter)) return 'parameter';
  if (status === 403) return BLOCKED.test(all) ? 'content_filter' : 'permission';
  if (CONTEXT_LENGTH.test(all)) return 'context_length';
  if (QUOTA.test(all)) return 'quota';
  if (NO_MODEL.test(all)) return 'not_found';
  if (BLOCKED.test(all)) return 'content_filter';
  return status === 400 || status === 422 ? 'parameter' : 'refused';
}

function advice(kind: ProviderFaultKind, reply: ProviderReply, model: ResolvedModel): string {
  if (reply.status >= 300 && reply.status < 400) {
    return `. It redirects to ${reply.location ?? 'nowhere'}; redirects are not followed, set base_url to the final address`;
  }
  switch (kind) {
    case 'authentication':
      return model.key
        ? '. Check the API key'
        : '. No key was sent: with a base_url of your own, name the variable that holds the key with api_key_env';
    case 'not_found':
      return `. Check the model's name at ${model.baseUrl}, and that the key has access to it`;
    case 'context_length':
      return '. The text exceeds the context length of the model; shorten it or take a model with a larger one';
    default:
      return '';
  }
}

function errorCode(body: unknown): string {
  const error = errorObject(body);
  return [error?.code, error?.type, error?.status].filter((part) => typeof part === 'string').join(' ');
}

function errorParameter(body: unknown): string | undefined {
  const parameter = errorObject(body)?.param;
  return typeof parameter === 'string' && parameter !== '' ? parameter : undefined;
}

/** OpenAI and most: `{error: {…}}`. Google: the same inside a list. Mistral: at the top. */
function errorObject(body: unknown): Record<string, unknown> | undefined {
  const outer: unknown = Array.isArray(body) ? body[0] : body;
  if (!isRecord(outer)) return undefined;
  return isRecord(outer.error) ? outer.error : outer;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
