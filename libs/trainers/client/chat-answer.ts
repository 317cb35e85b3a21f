import { isUtf8 } from 'node:buffer';
import {
  ChatCompletion,
  PeerStatusError,
  ProtocolError,
  pythonTypeName,
  type Clock,
  type Secret,
  type TokenUsage,
} from '#domain';
import { contentTypeOf, excerptOf, postLabel, retryAfterOf, type HttpResponse } from '../transport/index.js';
import { unreadableBody } from './unreadable-body.js';

export interface AnswerContext {
  readonly url: URL;
  readonly secret: Secret | null;
  readonly clock: Clock;
}

type JsonObject = Readonly<Record<string, unknown>>;

/** Statuses of errors that come without one, by what providers call them. */
const STATUS_OF_NAME: readonly (readonly [RegExp, number])[] = [
  [/rate.?limit|too.?many/i, 429],
  [/overload|unavailable|time.?out|server.?error/i, 503],
];

/**
 * The completion in a successful answer (spec 1.4, 3.4). `message` is the very object that was parsed, null fields and
 * unknown ones included, so that it goes back as it came.
 *
 * @throws PeerStatusError for an error that hides behind the success (case RS-06)
 * @throws ProtocolError for anything that is no chat completion; retryable, because the next sample may be one
 */
export function readChatAnswer(response: HttpResponse, context: AnswerContext): ChatCompletion {
  const answer = parseBody(response, context);
  throwHiddenError(answer['error'], response, context);
  const choices = answer['choices'];
  if (!Array.isArray(choices) || choices.length === 0) throw fault('there are no choices', response, context);
  const choice: unknown = choices[0];
  if (!isObject(choice)) throw fault(`choices[0] is ${pythonTypeName(choice)}, no object`, response, context);
  throwHiddenError(choice['error'], response, context);
  const message = choice['message'];
  if (!isObject(message)) {
    throw fault(`choices[0].message is ${pythonTypeName(message)}, no object`, response, context);
  }
  return new ChatCompletion({
    message,
    finishReason: finishReasonOf(choice),
    usage: usageOf(answer['usage']),
    tokenIds: listOf(answer['token_ids']) ?? listOf(choice['token_ids']),
    promptTokenIds: listOf(answer['prompt_token_ids']) ?? listOf(choice['prompt_token_ids']),
    logprobs: answer['logprobs'] ?? choice['logprobs'],
    model: typeof answer['model'] === 'string' ? answer['model'] : null,
    usageReport: isObject(answer['usage']) ? answer['usage'] : null,
  });
}

function parseBody(response: HttpResponse, context: AnswerContext): JsonObject {
  if (!isUtf8(response.body)) throw fault('the body is no UTF-8 text', response, context);
  const text = withoutBom(response.body.toString());
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    throw fault(unreadableBody(text, contentTypeOf(response)), response, context);
  }
  if (!isObject(answer)) throw fault(`the JSON is ${pythonTypeName(answer)}, no object`, response, context);
  return answer;
}

/** Some gateways answer 200 and put the provider's error into the body or into the choice. */
function throwHiddenError(error: unknown, response: HttpResponse, context: AnswerContext): void {
  if (!error || (isObject(error) && Object.keys(error).length === 0)) return;
  const fields = isObject(error) ? error : { message: error };
  const status = innerStatus(fields) ?? response.status;
  const text = typeof fields['message'] === 'string' ? fields['message'] : JSON.stringify(error);
  const as = status === response.status ? '' : ` (as good as ${status})`;
  throw new PeerStatusError(
    `${postLabel(context.url)} answered ${response.status} with an error inside${as}: ${excerptOf(text, context.secret)}`,
    { status, retryAfterMs: retryAfterOf(response, context.clock), details: { status } },
  );
}

function innerStatus(error: JsonObject): number | null {
  const names = [error['code'], error['status'], error['type']];
  for (const name of names) {
    const status = typeof name === 'string' && /^\d{3}$/.test(name) ? Number(name) : name;
    if (typeof status === 'number' && Number.isInteger(status) && status >= 400 && status <= 599) return status;
  }
  const text = names.filter((name) => typeof name === 'string').join(' ');
  return STATUS_OF_NAME.find(([pattern]) => pattern.test(text))?.[1] ?? null;
}

/** Python's reader skips the mark, too. */
function withoutBom(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

/** A missing reason reads `stop`, null stays null (spec 3.4). */
function finishReasonOf(choice: JsonObject): string | null {
  const reason = choice['finish_reason'];
  if (reason === undefined) return 'stop';
  return typeof reason === 'string' ? reason : null;
}

/** Null when the server counted nothing; a missing or odd count is 0 (case RS-07). */
function usageOf(usage: unknown): TokenUsage | null {
  if (!isObject(usage)) return null;
  return { promptTokens: countOf(usage['prompt_tokens']), completionTokens: countOf(usage['completion_tokens']) };
}

function countOf(count: unknown): number {
  return typeof count === 'number' && Number.isSafeInteger(count) && count > 0 ? count : 0;
}

function listOf(value: unknown): readonly number[] | null {
  return Array.isArray(value) ? (value as readonly number[]) : null;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function fault(what: string, response: HttpResponse, context: AnswerContext): ProtocolError {
  return new ProtocolError(
    `${postLabel(context.url)} answered ${response.status}, but ${excerptOf(what, context.secret)}.`,
    { status: response.status, details: { contentType: contentTypeOf(response) } },
  );
}
