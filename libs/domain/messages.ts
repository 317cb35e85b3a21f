import { pythonJson, pythonNumber } from './python-text.js';
import type { ChatMessage, ToolCall } from './message.js';

/** The tool calls of a message; empty when the field is missing, null or no list. */
export function parseToolCalls(message: ChatMessage): readonly ToolCall[] {
  const calls: unknown = message.tool_calls;
  return Array.isArray(calls) ? (calls as readonly ToolCall[]) : [];
}

/** The content when it is a string, else `''`. For the readable text of any message see {@link getMessageText}. */
export function getMessageContent(message: ChatMessage): string {
  return typeof message.content === 'string' ? message.content : '';
}

/** The role when it is a string (also an empty one), else `unknown`. */
export function getMessageRole(message: ChatMessage): string {
  const role: unknown = message.role;
  return typeof role === 'string' ? role : 'unknown';
}

export function isAssistantMessage(message: ChatMessage): boolean {
  return message.role === 'assistant';
}

export function isToolMessage(message: ChatMessage): boolean {
  return message.role === 'tool';
}

export function isUserMessage(message: ChatMessage): boolean {
  return message.role === 'user';
}

/** Role → number of messages, in order of first appearance. A message without a role counts as `unknown`. */
export function countMessagesByRole(messages: readonly ChatMessage[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const message of messages) {
    const role = getMessageRole(message);
    counts.set(role, (counts.get(role) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}

/**
 * Stop sequences as the wire wants them: a list of strings, or null. One string becomes a list of one; elements that are
 * no strings get the text Python gives them; anything that is neither string nor list becomes null.
 */
export function normalizeStop(stop: unknown): string[] | null {
  if (typeof stop === 'string') return [stop];
  if (!Array.isArray(stop)) return null;
  return stop.map((element: unknown) => {
    if (typeof element === 'string') return element;
    if (element === null || element === undefined) return 'None';
    if (typeof element === 'boolean') return element ? 'True' : 'False';
    if (typeof element === 'number') return pythonNumber(element);
    return pythonJson(element);
  });
}

/**
 * The text a person would read in a message: the content string, or the `text` parts of a content list, joined. Parts of
 * other types (thinking, images) are left out (case RS-08).
 */
export function getMessageText(message: ChatMessage): string {
  const content = message.content;
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .filter((part: unknown): part is { text: string } => isTextPart(part))
    .map((part) => part.text)
    .join('');
}

function isTextPart(part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return false;
  const { type, text } = part as { type?: unknown; text?: unknown };
  return typeof text === 'string' && (type === undefined || type === 'text' || type === 'output_text');
}

/**
 * The solution of a conversation, as rewards and judges see it: the text of the last assistant message that has any
 * text, `''` when none has. A refusal is no text (case RS-15).
 */
export function getSolutionText(messages: readonly ChatMessage[]): string {
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index];
    if (!message || !isAssistantMessage(message)) continue;
    const text = getMessageText(message);
    if (text !== '') return text;
  }
  return '';
}
