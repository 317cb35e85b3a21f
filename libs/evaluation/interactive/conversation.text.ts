import type { ToolSet } from '#agent';
import {
  getMessageRole,
  getMessageText,
  parseToolCalls,
  type ChatCompletion,
  type ChatMessage,
  type ToolCall,
} from '#domain';
import { formatDuration, formatScore, formatTokens } from '../report/formats.js';
import type { LocalRolloutResult } from '../run/local.rollout.js';
import { rewardEntries } from '../run/scoring/score.entries.js';

/** What the session shows, as plain text: brackets and the like in a message are what they are (weakness H 27). */
export function messageText(message: ChatMessage, label = getMessageRole(message)): string {
  const text = getMessageText(message) || otherContent(message);
  const calls = parseToolCalls(message).map(callText);
  return [`[${label}]`, ...(text === '' ? [] : [indent(text)]), ...calls].join('\n') + '\n';
}

/** Content that is no text: shown as it is, so that nothing is hidden. */
function otherContent({ content }: ChatMessage): string {
  return content === null || content === undefined || content === '' ? '' : JSON.stringify(content, null, 2);
}

export function callText({ id, function: called }: ToolCall): string {
  return `  → ${called?.name ?? '(no name)'} (${id ?? 'no id'})\n${indent(pretty(called?.arguments), 4)}`;
}

/** All of a conversation, numbered. */
export function conversationText(messages: readonly ChatMessage[]): string {
  return messages.map((message, index) => messageText(message, `${index} ${getMessageRole(message)}`)).join('');
}

/** Name, description and parameters of each tool. */
export function toolsText({ definitions }: ToolSet): string {
  if (definitions.length === 0) return 'No tools.\n';
  const lines = definitions.map(({ function: { name, description, parameters } }) => {
    const properties: unknown = (parameters as { properties?: unknown } | undefined)?.properties;
    const names = typeof properties === 'object' && properties !== null ? Object.keys(properties).join(', ') : '';
    return `  ${name}(${names}): ${description}`;
  });
  return `Tools:\n${lines.join('\n')}\n`;
}

/** The answer of one turn; the finish reason when it says more than that there are tool calls (spec F.7). */
export function turnText(turn: number, { message, finishReason }: ChatCompletion): string {
  const reason = finishReason === null || finishReason === 'tool_calls' ? '' : `finish reason: ${finishReason}\n`;
  return `\n──── Turn ${turn} ────\n${messageText(message)}${reason}`;
}

export function resultText({ outcome, metrics, durationMs }: LocalRolloutResult): string {
  const { scores, errors } = rewardEntries(outcome.reward, outcome.rewards);
  const tokens = (metrics?.promptTokens ?? 0) + (metrics?.responseTokens ?? 0);
  return [
    '\n──── Result ────',
    `Status: ${outcome.status}`,
    ...(outcome.errorMessage === null ? [] : [`Error: ${outcome.errorMessage}`]),
    `Reward: ${formatScore(outcome.reward)}`,
    ...Object.entries(scores).map(
      ([name, score]) => `  ${name}: ${formatScore(score)}${errors[name] ? ` (${errors[name]})` : ''}`,
    ),
    `Finish reason: ${outcome.finishReason}`,
    `Duration: ${formatDuration(durationMs)}`,
    `Tokens: ${formatTokens(tokens)}`,
    `LLM calls: ${metrics?.numLlmCalls ?? 0}`,
    '',
  ].join('\n');
}

function pretty(args: unknown): string {
  if (typeof args !== 'string') return JSON.stringify(args ?? {}, null, 2);
  try {
    return JSON.stringify(JSON.parse(args), null, 2);
  } catch {
    return args;
  }
}

function indent(text: string, spaces = 2): string {
  return text.replace(/^/gm, ' '.repeat(spaces));
}
