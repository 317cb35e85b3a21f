import type { RolloutResult } from '#domain';
import type { RolloutContext } from './rollout.context.js';

/** Reasons of the model's server that mean: this answer is not whole. Any other reason is noise (case RS-09). */
const CUT_OFF = new Map([
  ['length', 'The answer was cut off at its token limit'],
  ['content_filter', 'The answer was cut off by a content filter'],
]);

/**
 * The loop of an agent without a `run`: chat, run the tool calls, repeat, until an answer has no tool calls.
 *
 * Finish reasons: `stop`; `max_turns` and `max_tokens` when the request's limit is reached (the tools of the last turn
 * have then run, so the conversation is well-formed: LC-22); `length` and `content_filter` when an answer was cut off, its
 * tool calls not being run (RS-13).
 */
export async function runToolLoop(ctx: RolloutContext): Promise<RolloutResult> {
  const { maxTurns, maxTokensTotal } = ctx.request;
  const messages = [...ctx.request.messages];
  for (let turn = 0; ; turn++) {
    if (turn >= maxTurns) return ctx.complete(messages, 'max_turns');
    if (ctx.conversationTokens >= maxTokensTotal) return ctx.complete(messages, 'max_tokens');
    const answer = await ctx.chat(messages);
    messages.push(answer.message);
    const cutOff = CUT_OFF.get(answer.finishReason ?? '');
    const reason = cutOff ? (answer.finishReason as string) : 'stop';
    if (!answer.hasToolCalls) return ctx.complete(messages, reason);
    if (cutOff) {
      messages.push(...ctx.skipTools(answer.toolCalls, `${cutOff}; this tool was not run`));
      return ctx.complete(messages, reason);
    }
    messages.push(...(await ctx.executeTools(answer.toolCalls)));
  }
}
