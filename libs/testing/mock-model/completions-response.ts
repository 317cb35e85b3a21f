import { getMessageContent, parseToolCalls } from '#domain';
import type { CompletionsRequest, CompletionsResponse } from '../wire/chat-completions.js';
import { CompletionAnswer, toAssistantMessage, type MessageAnswer } from './answers.js';
import { fakePromptTokenIds, fakeTokenIds } from './fake-tokens.js';

/** The response that carries an answer, with invented tokens (spec 10). */
export function completionsResponse(
  request: CompletionsRequest,
  answer: MessageAnswer | CompletionAnswer,
): CompletionsResponse {
  const given = answer instanceof CompletionAnswer ? answer : new CompletionAnswer(answer, {});
  const message = toAssistantMessage(given.answer);
  const usualReason = parseToolCalls(message).length > 0 ? 'tool_calls' : 'stop';
  const { finish_reason = usualReason, ...fields } = given.overrides;
  const tokenIds = fakeTokenIds(getMessageContent(message));
  const promptTokenIds = fakePromptTokenIds(request.messages);
  return {
    id: request.rollout_id,
    object: 'chat.completion',
    created: Math.floor(Date.now() / 1000),
    model: request.model,
    choices: [{ index: 0, message, finish_reason }],
    usage: {
      prompt_tokens: promptTokenIds.length,
      completion_tokens: tokenIds.length,
      total_tokens: promptTokenIds.length + tokenIds.length,
    },
    token_ids: tokenIds,
    logprobs: tokenIds.map(() => 0),
    prompt_token_ids: promptTokenIds,
    ...fields,
  };
}
