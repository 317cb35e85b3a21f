import {
  countMessagesByRole,
  createToolErrorResult,
  createToolResult,
  getMessageContent,
  getMessageRole,
  getToolCallInfo,
  isAssistantMessage,
  isToolMessage,
  isUserMessage,
  normalizeStop,
  parseToolArguments,
  parseToolCalls,
  serializeToolResult,
  type ChatMessage,
  type ToolCall,
} from '#domain';

/** Our helpers by name, each with the recorded form of its input and result. */
export const HELPERS: Readonly<Record<string, (input: unknown) => unknown>> = {
  serializeToolResult,
  parseToolArguments,
  normalizeStop,
  getToolCallInfo: (input) => {
    const { id, name, args } = getToolCallInfo(input as ToolCall);
    return [id, name, args];
  },
  parseToolCalls: (input) => parseToolCalls(input as ChatMessage),
  getMessageContent: (input) => getMessageContent(input as ChatMessage),
  getMessageRole: (input) => getMessageRole(input as ChatMessage),
  isAssistantMessage: (input) => isAssistantMessage(input as ChatMessage),
  isToolMessage: (input) => isToolMessage(input as ChatMessage),
  isUserMessage: (input) => isUserMessage(input as ChatMessage),
  countMessagesByRole: (input) => countMessagesByRole(input as ChatMessage[]),
  createToolResult: (input) => createToolResult(...(input as [string, string])),
  createToolErrorResult: (input) => createToolErrorResult(...(input as [string, string])),
};
