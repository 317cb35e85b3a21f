import type { ChatMessage, ToolCall } from '#domain';

const KEYWORDS = ['calculate', 'add', 'sum', 'plus', 'subtract', 'multiply', 'divide'] as const;
const WHOLE_WORD = new RegExp(`\\b(?:${KEYWORDS.join('|')})\\b`, 'i');

/**
 * How a keyword is looked for. `substring` is the reference's rule, by which "address" asks for an `add`; `word` takes
 * whole words only.
 */
export type KeywordMatching = 'substring' | 'word';

/**
 * Whether the mock trainer's model, when it has no script, answers this message by a tool call: a user message whose
 * text has one of the words calculate, add, sum, plus, subtract, multiply, divide, in any case (spec 10).
 */
export function asksForTool(message: ChatMessage, matching: KeywordMatching = 'substring'): boolean {
  if (message.role !== 'user' || typeof message.content !== 'string') return false;
  if (matching === 'word') return WHOLE_WORD.test(message.content);
  const text = message.content.toLowerCase();
  return KEYWORDS.some((keyword) => text.includes(keyword));
}

/** The tool call that the keyword rule gives, always the same. */
export const KEYWORD_TOOL_CALL: ToolCall = Object.freeze({
  id: 'call_mock_add',
  type: 'function',
  function: Object.freeze({ name: 'add', arguments: '{"a": 5, "b": 3}' }),
});
