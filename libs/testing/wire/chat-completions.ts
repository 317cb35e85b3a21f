import type { ChatMessage, ToolDefinition } from '#domain';
import { codePointLength, FieldReader, InvalidRequestError, isBlank, type JsonObject, type TextRule } from '#trainers';

/** Body of `POST /v1/chat/completions` after validation: defaults filled in, unknown fields dropped (spec 1.4). */
export interface CompletionsRequest {
  readonly model: string;
  /** The whole conversation so far. Its messages are handed on untouched. */
  readonly messages: readonly ChatMessage[];
  readonly rollout_id: string;
  readonly temperature: number;
  readonly top_p: number;
  readonly max_tokens: number;
  readonly stop: readonly string[] | null;
  readonly logprobs: boolean;
  /** Sent along in dialect 0.3 only. */
  readonly tools?: readonly ToolDefinition[];
}

/** Answer of `POST /v1/chat/completions`. */
export interface CompletionsResponse {
  /** The rollout's id. */
  readonly id: string;
  readonly object: string;
  /** Unix time in seconds. */
  readonly created: number;
  /** As the request named it. */
  readonly model: string;
  readonly choices: readonly CompletionsChoice[];
  readonly usage: CompletionsUsage | null;
  readonly token_ids: readonly number[] | null;
  readonly logprobs: readonly number[] | null;
  readonly prompt_token_ids: readonly number[] | null;
}

export interface CompletionsChoice {
  readonly index: number;
  readonly message: ChatMessage;
  readonly finish_reason: string | null;
}

export interface CompletionsUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
}

/** @throws InvalidRequestError (422) with every fault, in the order of the fields above */
export function readCompletionsRequest(fields: JsonObject): CompletionsRequest {
  const reader = new FieldReader(fields);
  const request: CompletionsRequest = {
    model: reader.string('model', undefined, 'default'),
    messages: reader.listOfDicts('messages'),
    rollout_id: reader.string('rollout_id', rolloutIdRule),
    temperature: reader.float('temperature', 1),
    top_p: reader.float('top_p', 1),
    max_tokens: reader.int('max_tokens', 512),
    stop: readStop(reader),
    logprobs: reader.bool('logprobs', true),
  };
  if (reader.faults.length > 0) throw new InvalidRequestError(reader.faults);
  return request;
}

const MAX_ID_LENGTH = 256;

function rolloutIdRule(id: string): ReturnType<TextRule> {
  if (id === '') return { type: 'string_too_short', msg: 'String should have at least 1 character' };
  if (codePointLength(id) > MAX_ID_LENGTH) {
    return { type: 'string_too_long', msg: `String should have at most ${MAX_ID_LENGTH} characters` };
  }
  if (!isBlank(id)) return null;
  return { type: 'value_error', msg: 'Value error, rollout_id cannot be empty or whitespace only' };
}

/** On this side of the wire one string is no list of one. */
function readStop(reader: FieldReader): readonly string[] | null {
  const stop = reader.nullableList('stop');
  stop?.forEach((word, index) => {
    if (typeof word === 'string') return;
    reader.faults.push({ type: 'string_type', loc: ['body', 'stop', index], msg: 'Input should be a valid string' });
  });
  return stop as readonly string[] | null;
}
