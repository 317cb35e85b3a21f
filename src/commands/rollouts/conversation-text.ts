import { getMessageRole, getMessageText, parseToolCalls, type ChatMessage, type ToolCall } from '#domain';
import type { Paint } from '../../cli/paint.js';
import { indented, oneLine } from './safe-text.js';

const INDENT = '    ';

/** A conversation to read: each message under its number and role, tool calls behind arrows. */
export function conversationText(messages: readonly ChatMessage[], paint: Paint): string {
  const heading = `\n${paint('bold', 'Messages')}\n`;
  if (messages.length === 0) return `${heading}  none is stored\n`;
  return heading + messages.map((message, index) => messageText(message, index + 1, paint)).join('');
}

function messageText(message: ChatMessage, number: number, paint: Paint): string {
  const answers = typeof message.tool_call_id === 'string' ? ` (${oneLine(message.tool_call_id)})` : '';
  const text = getMessageText(message);
  return [
    `  ${paint('cyan', `[${number}] ${oneLine(getMessageRole(message))}${answers}`)}`,
    ...(text === '' ? [] : [indented(text, INDENT)]),
    ...parseToolCalls(message).map((call) => indented(callText(call), INDENT)),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

function callText(call: ToolCall): string {
  const args = call.function?.arguments;
  const shown = typeof args === 'string' ? args : JSON.stringify(args ?? {});
  return `-> ${call.function?.name ?? '?'} ${shown}${call.id ? ` (${call.id})` : ''}`;
}
