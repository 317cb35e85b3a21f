import { randomUUID } from 'node:crypto';
import { hasControlCharacters, Secret, type RolloutRequest } from '#domain';
import type { ParsedBody } from '../http/body.js';
import { FieldReader, type TextRule } from '../http/field-checks.js';
import { InvalidRequestError } from '../http/request-fault.js';
import { hasLoneSurrogate } from '../http/wire-text.js';
import { OSMOSIS_V03_DIALECT } from './dialect.js';

/** The wire has no limit; this one only ends a loop that would never do so itself. */
const MAX_TURNS = 100;

/**
 * The body of `POST /rollout` as a request for one agent (spec 1.3). `RolloutRequestDto` describes the same shape. A
 * rollout without an id gets one.
 *
 * Stricter than the reference, so that no id forges a log line and no key breaks a header: control characters are refused
 * in `rollout_id` and, after trimming, in both keys.
 *
 * @throws InvalidRequestError with all faults, in the order of the fields
 */
export function readRolloutRequest({ fields }: ParsedBody, agent: string): RolloutRequest {
  const reader = new FieldReader(fields);
  const messages = reader.listOfDicts('initial_messages');
  const label = reader.nullableString('label');
  const metadata = reader.nullableDict('metadata');
  const rolloutId = reader.nullableString('rollout_id', pathSegmentRule);
  const url = reader.string('chat_completions_url');
  const apiKey = Secret.from(reader.nullableString('controller_api_key', keyRule));
  const modelKey = Secret.from(reader.nullableString('llm_api_key', modelKeyRule));
  const completionUrl = reader.string('completion_callback_url');
  const graderUrl = reader.nullableString('grader_callback_url') || null;
  const agentMs = readTimeout(reader, 'agent_timeout_sec');
  const scoringMs = readTimeout(reader, 'grader_timeout_sec');
  const extraFields = reader.nullableDict('extra_fields');

  if (reader.faults.length > 0) throw new InvalidRequestError(reader.faults);
  return {
    rolloutId: rolloutId ?? randomUUID().replaceAll('-', ''),
    agent,
    trainer: { dialect: OSMOSIS_V03_DIALECT, url, apiKey, modelKey, callbacks: { completionUrl, graderUrl } },
    messages,
    completionParams: {},
    toolServerUrl: null,
    maxTurns: MAX_TURNS,
    maxTokensTotal: Number.MAX_SAFE_INTEGER,
    metadata: metadata ?? {},
    idempotencyKey: null,
    label,
    extraFields,
    // Without anything to compare with there is no grading (spec 1.11.2); an empty label or metadata is something.
    wantsReward: graderUrl !== null && (label !== null || metadata !== null),
    limits: { agentMs, scoringMs },
  };
}

/** A single path segment (spec 1.12). */
export const pathSegmentRule: TextRule = (id) => {
  if (hasLoneSurrogate(id)) {
    return {
      type: 'string_unicode',
      msg: 'Input should be a valid string, unable to parse raw data as a unicode string',
    };
  }
  if (id === '' || id === '.' || id === '..' || /[/\\\0]/.test(id)) {
    return valueError('rollout_id must be a single path segment: not empty, no "/" or "\\", neither "." nor ".."');
  }
  return hasControlCharacters(id) ? valueError('rollout_id cannot contain control characters') : null;
};

const keyRule: TextRule = (key) =>
  hasControlCharacters(key.trim()) ? valueError('an API key cannot contain control characters') : null;

const modelKeyRule: TextRule = (key) =>
  key === '' ? valueError('llm_api_key must not be empty; leave it out to use controller_api_key') : keyRule(key);

/** Seconds on the wire; milliseconds, or null for none. */
function readTimeout(reader: FieldReader, field: string): number | null {
  const seconds = reader.nullableFloat(field);
  if (seconds === null || Number.isFinite(seconds)) return seconds === null ? null : seconds * 1_000;
  reader.faults.push({ loc: ['body', field], ...valueError(`${field} must be a finite number`) });
  return null;
}

function valueError(what: string): { type: string; msg: string } {
  return { type: 'value_error', msg: `Value error, ${what}` };
}
