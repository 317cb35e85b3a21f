import { getMessageText, parseToolCalls, type ChatMessage, type ToolDefinition } from '#domain';
import { HostedCompletion, readUsage } from './chat.wire.js';
import { providerError } from './provider.error.js';
import { isRecord, snippet } from './reply.text.js';
import type { ResolvedModel } from './model.resolver.js';

/** Parameters that have another name, or place, in the Responses API. */
const RENAMED: Readonly<Record<string, (value: unknown) => Record<string, unknown>>> = {
  max_tokens: (value) => ({ max_output_tokens: value }),
  max_completion_tokens: (value) => ({ max_output_tokens: value }),
  reasoning_effort: (value) => ({ reasoning: { effort: value } }),
  response_format: (value) => ({ text: { format: flatten(value, 'json_schema') } }),
  tool_choice: (value) => ({ tool_choice: flatten(value, 'function') }),
};

/** The body of a request to `/responses` that says what the chat request would say. Nothing is kept at OpenAI. */
export function responsesRequest(
  model: string,
  messages: readonly ChatMessage[],
  tools: readonly ToolDefinition[],
  params: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const body: Record<string, unknown> = { model, input: messages.flatMap(inputItems), store: false };
  if (tools.length > 0) body.tools = tools.map((tool) => flatten(tool, 'function'));
  for (const [name, value] of Object.entries(params)) {
    Object.assign(body, RENAMED[name]?.(value) ?? { [name]: value });
  }
  return body;
}

/** `{type, [key]: {…}}` of the chat API is `{type, …}` here. */
function flatten(value: unknown, key: string): unknown {
  if (!isRecord(value) || !isRecord(value[key])) return value;
  const { [key]: inner, ...outer } = value;
  return { ...outer, ...(inner as Record<string, unknown>) };
}

function inputItems(message: ChatMessage): Record<string, unknown>[] {
  if (message.role === 'tool') {
    return [{ type: 'function_call_output', call_id: message.tool_call_id, output: getMessageText(message) }];
  }
  const calls = parseToolCalls(message).map((call) => ({
    type: 'function_call',
    call_id: call.id,
    name: call.function?.name,
    arguments: argumentsText(call.function?.arguments),
  }));
  const text = getMessageText(message);
  return text === '' && calls.length > 0 ? calls : [{ role: message.role, content: text }, ...calls];
}

function argumentsText(args: unknown): string {
  return typeof args === 'string' ? args : JSON.stringify(args ?? {});
}

/** @throws ProviderRequestError when the answer failed, was blocked, or has another shape */
export function readResponsesAnswer(body: Readonly<Record<string, unknown>>, model: ResolvedModel): HostedCompletion {
  if (!Array.isArray(body.output)) {
    const detail = `the answer holds no output: ${snippet(JSON.stringify(body))}`;
    throw providerError(model, { kind: 'protocol', status: 200, detail });
  }
  const items: Record<string, unknown>[] = body.output.filter(isRecord);
  const text = items.flatMap(messageTexts).join('');
  const calls = items.filter((item) => item.type === 'function_call').map(toToolCall);
  const reason = incompleteReason(body);
  if (reason === 'content_filter' && text === '') {
    const detail = 'the provider blocked the request or the answer: content_filter';
    throw providerError(model, { kind: 'content_filter', status: 200, detail });
  }
  const message: ChatMessage = {
    role: 'assistant',
    content: text,
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  const finished = calls.length > 0 ? 'tool_calls' : 'stop';
  const finishReason = reason === 'max_output_tokens' ? 'length' : (reason ?? finished);
  return new HostedCompletion({ message, finishReason, usage: readUsage(body.usage) }, body);
}

function incompleteReason(body: Readonly<Record<string, unknown>>): string | null {
  if (body.status !== 'incomplete') return null;
  const details = body.incomplete_details;
  return isRecord(details) && typeof details.reason === 'string' ? details.reason : 'incomplete';
}

function messageTexts(item: Record<string, unknown>): string[] {
  if (item.type !== 'message' || !Array.isArray(item.content)) return [];
  return item.content
    .filter(isRecord)
    .filter((part) => part.type === 'output_text' && typeof part.text === 'string')
    .map((part) => String(part.text));
}

function toToolCall(item: Record<string, unknown>): NonNullable<ChatMessage['tool_calls']>[number] {
  return {
    id: typeof item.call_id === 'string' ? item.call_id : null,
    type: 'function',
    function: {
      name: typeof item.name === 'string' ? item.name : '',
      arguments: typeof item.arguments === 'string' ? item.arguments : '{}',
    },
  };
}
