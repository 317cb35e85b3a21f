import { isAssistantMessage, type ChatMessage, type ToolCall, type ToolDefinition } from '#domain';

/** What a script is asked with. */
export interface ScriptRequest {
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ToolDefinition[];
}

/** An answer: text, tool calls, or a whole assistant message. */
export type ScriptAnswer = string | readonly ToolCall[] | ChatMessage;

/** @param turn how many answers the conversation has had from the script: 0 for the first */
export type Script = (request: ScriptRequest, turn: number) => ScriptAnswer | Promise<ScriptAnswer>;

export function toMessage(answer: ScriptAnswer): ChatMessage {
  if (typeof answer === 'string') return { role: 'assistant', content: answer };
  if (isList(answer)) return { role: 'assistant', content: null, tool_calls: answer };
  return { content: null, ...answer, role: 'assistant' };
}

function isList(answer: readonly ToolCall[] | ChatMessage): answer is readonly ToolCall[] {
  return Array.isArray(answer);
}

export function answersIn(messages: readonly ChatMessage[]): number {
  return messages.filter(isAssistantMessage).length;
}
