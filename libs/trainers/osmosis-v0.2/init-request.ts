import { hasControlCharacters, readJsonText, Secret, TextMemo, type RolloutRequest } from '#domain';
import type { ParsedBody } from '../http/body.js';
import { FieldReader, isJsonObject, type TextRule } from '../http/field-checks.js';
import { exceedsMetadataLimit } from '../http/metadata-size.js';
import { InvalidRequestError, type RequestFault } from '../http/request-fault.js';
import { serverUrlProblem } from '../http/server-url.js';
import { codePointLength, hasLoneSurrogate, isBlank } from '../http/wire-text.js';

export const OSMOSIS_V02_DIALECT = 'osmosis-v0.2';

const MAX_ROLLOUT_ID_LENGTH = 256;
const DEFAULT_MAX_TURNS = 10;
const DEFAULT_MAX_TOKENS_TOTAL = 8192;
const MEBIBYTE = 1_048_576;

/**
 * The body of `POST /v1/rollout/init` as a request for one agent (spec 1.2). Hand-written, because class-validator costs
 * more than half a rollout; `InitRequestDto` describes the same shape.
 *
 * Stricter than the reference, so that no id forges a log line and no key breaks a header: control characters are
 * refused in `rollout_id` (case LC-18) and, after trimming, in `api_key` (case NT-15).
 *
 * @throws InvalidRequestError with all faults, in the order of the fields
 */
export function readInitRequest(body: ParsedBody, agent: string, maxMetadataBytes: number): RolloutRequest {
  const fields = new FieldReader(body.fields, { numberSource: (field) => numberSource(body, field) });
  const rolloutId = fields.string('rollout_id', rolloutIdRule);
  const url = fields.string('server_url', serverUrlRule);
  const messages = fields.listOfDicts('messages');
  const completionParams = fields.dict('completion_params');
  const toolServerUrl = fields.nullableString('tool_server_url');
  const maxTurns = fields.int('max_turns', DEFAULT_MAX_TURNS);
  const maxTokensTotal = fields.int('max_tokens_total', DEFAULT_MAX_TOKENS_TOTAL);
  const metadata = fields.dict('metadata', {});
  const apiKey = Secret.from(fields.nullableString('api_key', apiKeyRule));
  const idempotencyKey = fields.nullableString('idempotency_key') || null;

  if (fields.faults.length > 0) throw new InvalidRequestError(fields.faults);
  if (exceedsMetadataLimit(metadata, body, maxMetadataBytes)) throw metadataTooLarge(maxMetadataBytes);
  return {
    rolloutId,
    agent,
    trainer: { dialect: OSMOSIS_V02_DIALECT, url, apiKey },
    messages,
    completionParams,
    toolServerUrl,
    maxTurns,
    maxTokensTotal,
    metadata,
    idempotencyKey,
  };
}

/** Spec 1.2, also for the `rollout_id` of other bodies. */
export const rolloutIdRule: TextRule = (id) => {
  if (hasLoneSurrogate(id)) {
    const msg = 'Input should be a valid string, unable to parse raw data as a unicode string';
    return { type: 'string_unicode', msg };
  }
  if (id === '') return { type: 'string_too_short', msg: 'String should have at least 1 character' };
  if (id.length > MAX_ROLLOUT_ID_LENGTH && codePointLength(id) > MAX_ROLLOUT_ID_LENGTH) {
    return { type: 'string_too_long', msg: `String should have at most ${MAX_ROLLOUT_ID_LENGTH} characters` };
  }
  if (isBlank(id)) return valueError('rollout_id cannot be empty or whitespace only');
  return hasControlCharacters(id) ? valueError('rollout_id cannot contain control characters') : null;
};

const serverUrlProblems = new TextMemo(serverUrlProblem);

const serverUrlRule: TextRule = (url) => {
  const problem = serverUrlProblems.get(url);
  return problem === null ? null : valueError(problem);
};

const apiKeyRule: TextRule = (key) =>
  hasControlCharacters(key.trim()) ? valueError('api_key cannot contain control characters') : null;

function valueError(what: string): { type: string; msg: string } {
  return { type: 'value_error', msg: `Value error, ${what}` };
}

function metadataTooLarge(limit: number): InvalidRequestError {
  const size = `${Math.floor(limit / MEBIBYTE)}MB`;
  const fault: RequestFault = {
    loc: ['body'],
    ...valueError(`metadata size exceeds maximum allowed size of ${size} (${limit} bytes as JSON)`),
  };
  return new InvalidRequestError([fault]);
}

/** The text of a number in the body. Reads the body once more, so only the rare question pays for it. */
function numberSource(body: ParsedBody, field: string): string | undefined {
  const sources = readJsonText(body.text, { nonFinite: true, number: (source) => source });
  const source = isJsonObject(sources) ? sources[field] : undefined;
  return typeof source === 'string' ? source : undefined;
}
