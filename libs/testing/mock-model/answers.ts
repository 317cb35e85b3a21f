import type { ChatMessage, ToolCall } from '#domain';
import type { CompletionsResponse } from '../wire/chat-completions.js';

/**
 * What a scripted model answers to one chat request:
 *
 * - a string: the content of an assistant message
 * - a list of tool calls: an assistant message without content that asks for them, see {@link toolCall}
 * - an object: an assistant message; `role` and `content` may be left out, unknown fields travel as they are
 * - {@link completion}: one of these with another finish reason, usage or other response field
 * - {@link httpAnswer}: any status, headers and body; {@link dropConnection}: no answer at all
 * - {@link delayed}: any of these, later
 */
export type ScriptedAnswer = MessageAnswer | CompletionAnswer | HttpAnswer | DroppedConnection | DelayedAnswer;

/** An answer that is one assistant message. */
export type MessageAnswer = string | readonly ToolCall[] | ChatMessage;

/** Fields that replace those of the usual response; `finish_reason` is that of the choice. */
export type CompletionOverrides = Partial<Omit<CompletionsResponse, 'choices'>> & {
  readonly finish_reason?: string | null;
};

export class CompletionAnswer {
  constructor(
    readonly answer: MessageAnswer,
    readonly overrides: CompletionOverrides,
  ) {}
}

export class HttpAnswer {
  constructor(
    readonly status: number,
    readonly body: string,
    readonly headers: Readonly<Record<string, string>>,
  ) {}
}

export class DroppedConnection {}

export class DelayedAnswer {
  constructor(
    readonly delayMs: number,
    readonly answer: ScriptedAnswer,
  ) {}
}

let toolCalls = 0;

/**
 * A tool call for a scripted answer. Text arguments are sent as they are, so that a test can send broken JSON.
 *
 * @param id unique in this process when left out
 * @example script: [[toolCall('add', { a: 2, b: 3 })], '5']
 */
export function toolCall(name: string, args: Readonly<Record<string, unknown>> | string = {}, id?: string): ToolCall {
  return {
    id: id ?? `call_${++toolCalls}`,
    type: 'function',
    function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
  };
}

/** @example completion('cut sho', { finish_reason: 'length', usage: null }) */
export function completion(answer: MessageAnswer, overrides: CompletionOverrides): CompletionAnswer {
  return new CompletionAnswer(answer, overrides);
}

export interface HttpAnswerOptions {
  /** Text is sent as it is, everything else as JSON. Empty when left out. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** @example httpAnswer(429, { headers: { 'retry-after': '1' }, body: { detail: 'slow down' } }) */
export function httpAnswer(status: number, options: HttpAnswerOptions = {}): HttpAnswer {
  const { body = '', headers = {} } = options;
  const content = typeof body === 'string' ? body : JSON.stringify(body);
  return new HttpAnswer(status, content, { 'content-type': 'application/json', ...headers });
}

/** Closes the socket without an answer. */
export function dropConnection(): DroppedConnection {
  return new DroppedConnection();
}

/** @example delayed(200, 'a slow answer') */
export function delayed(delayMs: number, answer: ScriptedAnswer): DelayedAnswer {
  return new DelayedAnswer(delayMs, answer);
}

function isToolCalls(answer: readonly ToolCall[] | ChatMessage): answer is readonly ToolCall[] {
  return Array.isArray(answer);
}

/** The assistant message that an answer stands for. */
export function toAssistantMessage(answer: MessageAnswer): ChatMessage {
  if (typeof answer === 'string') return { role: 'assistant', content: answer };
  if (isToolCalls(answer)) return { role: 'assistant', content: null, tool_calls: answer };
  return { role: 'assistant', content: null, ...answer };
}
