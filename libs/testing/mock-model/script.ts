import { OsmosisError, type ChatMessage, type ToolCall } from '#domain';
import type { CompletionsRequest } from '../wire/chat-completions.js';
import { completion, type ScriptedAnswer } from './answers.js';
import { asksForTool, KEYWORD_TOOL_CALL, type KeywordMatching } from './keyword-rule.js';

/**
 * Answers a chat request.
 *
 * @param turn 0 for a rollout's first request, 1 for its second … Requests that a fault kept from the model do not
 * count; a retry of an answered request does.
 */
export type ScriptFunction = (request: CompletionsRequest, turn: number) => ScriptedAnswer | Promise<ScriptedAnswer>;

/** The answers of one rollout, in order (each rollout starts at the first), or a function. */
export type MockScript = readonly ScriptedAnswer[] | ScriptFunction;

/** Tool calls for the last message of a request; null or none for a plain answer. */
export type ToolCallGenerator = (lastMessage: ChatMessage) => readonly ToolCall[] | null | undefined;

export interface MockModelOptions {
  /** What the model says. Without it, tool calls come from the generator or the keyword rule. */
  readonly script?: MockScript;
  /** Takes the place of the keyword rule. */
  readonly toolCallGenerator?: ToolCallGenerator;
  /** How the keyword rule reads; `substring` when left out, as the reference does. */
  readonly keywords?: KeywordMatching;
}

/** @throws OsmosisError `CONFIG_INVALID` for options that exclude each other */
export function compileScript({ script, toolCallGenerator, keywords }: MockModelOptions): ScriptFunction {
  if (script && toolCallGenerator) {
    throw new OsmosisError(
      'CONFIG_INVALID',
      'createMockTrainerApp: `script` and `toolCallGenerator` both decide what the model answers. Pass one of them.',
    );
  }
  if (typeof script === 'function') return script;
  if (script) return playList(script);
  return referenceModel(
    toolCallGenerator ?? ((last) => (asksForTool(last, keywords) ? [KEYWORD_TOOL_CALL] : undefined)),
  );
}

function playList(answers: readonly ScriptedAnswer[]): ScriptFunction {
  return (request, turn) => {
    const answer = answers[turn];
    if (answer !== undefined) return answer;
    throw new OsmosisError(
      'USAGE',
      `The script of the mock trainer has ${answers.length} answer(s), but rollout '${request.rollout_id}' made ` +
        `${turn + 1} chat requests. Add an answer, or pass a function as the script.`,
    );
  };
}

const NO_MESSAGE: ChatMessage = { role: 'user', content: '' };

/** The model of the reference's mock trainer (spec 10); its finish reason is `stop` with tool calls, too. */
function referenceModel(generate: ToolCallGenerator): ScriptFunction {
  return ({ messages }) => {
    const last = messages.at(-1) ?? NO_MESSAGE;
    const toolCalls = generate(last);
    if (toolCalls && toolCalls.length > 0) {
      const message = { content: "I'll help you with that calculation.", tool_calls: toolCalls };
      return completion(message, { finish_reason: 'stop' });
    }
    return last.role === 'tool' ? 'The calculation is complete.' : 'OK.';
  };
}
