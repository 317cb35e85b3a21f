import { getMessageContent, isToolMessage, isUserMessage, type ChatMessage, type ToolCall } from '#domain';
import { toolCall, type ScriptedAnswer, type ScriptFunction } from '#testing';
import { parseExpression, type Expression } from './expression.js';
import { NO_ANSWER } from './scoring.js';

/** A weakness of the scripted model. Without wrong answers all rewards would be the same, and nothing to learn. */
export type Flaw = 'off-by-one' | 'stops-early' | 'in-words';

const QUESTION = /^(?:what is|work out|evaluate|compute)\s+(.+?)(?:\s+to \w+ places)?[.?]$/i;

/**
 * A model for the calculator that solves by calling tools, and knows no arithmetic itself. Each turn it asks for every
 * operation whose operands it knows, all at once; what it knows it reads from the conversation, so that it has no state.
 *
 * @param flaws the model's weakness at a question, by the question's text
 */
export function createSolver(flaws: ReadonlyMap<string, Flaw> = new Map()): ScriptFunction {
  return ({ messages }) => {
    const question = getMessageContent(messages.find(isUserMessage) ?? {});
    return answer(question, readResults(messages), flaws.get(question));
  };
}

/** Tool results by the id of their call. */
type Results = ReadonlyMap<string, string>;

function readResults(messages: readonly ChatMessage[]): Results {
  return new Map(
    messages.filter(isToolMessage).map((message) => [message.tool_call_id ?? '', getMessageContent(message)]),
  );
}

function answer(question: string, results: Results, flaw: Flaw | undefined): ScriptedAnswer {
  const expression = parseExpression(QUESTION.exec(question)?.[1] ?? '');
  if (!expression || [...results.values()].some((result) => Number.isNaN(Number(result)))) return NO_ANSWER;
  const [firstResult] = results.values();
  if (flaw === 'stops-early' && firstResult !== undefined) return firstResult;
  const calls: ToolCall[] = [];
  const value = evaluate(expression, 'root', results, calls);
  return value === null ? calls : sayResult(value, flaw);
}

/** The value as far as the results tell; null when calls are missing, which are then added. */
function evaluate(node: Expression, path: string, results: Results, calls: ToolCall[]): number | null {
  if ('value' in node) return node.value;
  const id = `call_${path}`;
  const result = results.get(id);
  if (result !== undefined) return Number(result);
  const a = evaluate(node.left, `${path}_l`, results, calls);
  const b = evaluate(node.right, `${path}_r`, results, calls);
  if (a !== null && b !== null) calls.push(toolCall(node.operation, { a, b }, id));
  return null;
}

function sayResult(value: number, flaw: Flaw | undefined): string {
  // 0.1 + 0.2 is 0.3 to whoever asked.
  const rounded = Number(value.toFixed(10));
  if (flaw === 'off-by-one') return String(rounded + 1);
  return flaw === 'in-words' ? `The answer is ${rounded}.` : String(rounded);
}
