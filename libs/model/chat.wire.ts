import { ChatCompletion, type ChatMessage, type TokenUsage, type ToolDefinition } from '#domain';
import { providerError } from './provider.error.js';
import { isRecord, snippet } from './reply.text.js';
import type { ResolvedModel } from './model.resolver.js';

/** A hosted model's answer, with the provider's own answer beside it. */
export class HostedCompletion extends ChatCompletion {
  readonly raw: Readonly<Record<string, unknown>>;

  constructor(fields: ConstructorParameters<typeof ChatCompletion>[0], raw: Readonly<Record<string, unknown>>) {
    super(fields);
    this.raw = raw;
  }
}

/** The body of a request to `/chat/completions`. */
export function chatRequest(
  model: string,
  messages: readonly ChatMessage[],
  tools: readonly ToolDefinition[],
  params: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return { model, messages, ...(tools.length > 0 && { tools }), ...params };
}

/** @throws ProviderRequestError when there is no message: blocked by the provider (case RJ-07), or another shape */
export function readChatAnswer(body: Readonly<Record<string, unknown>>, model: ResolvedModel): HostedCompletion {
  const choice: unknown = Array.isArray(body.choices) ? body.choices[0] : undefined;
  const message = isRecord(choice) ? choice.message : undefined;
  const finishReason = isRecord(choice) && typeof choice.finish_reason === 'string' ? choice.finish_reason : null;
  const blocked = blockReason(body) ?? (isBlocked(finishReason) && !hasContent(message) ? finishReason : null);
  if (blocked !== null) {
    const detail = `the provider blocked the request or the answer: ${blocked}`;
    throw providerError(model, { kind: 'content_filter', status: 200, detail });
  }
  if (!isRecord(message)) {
    const detail = `the answer holds no message: ${snippet(JSON.stringify(body))}`;
    throw providerError(model, { kind: 'protocol', status: 200, detail });
  }
  return new HostedCompletion({ message, finishReason, usage: readUsage(body.usage) }, body);
}

/** Google's own words for it: no candidates at all, or one that was stopped. */
function blockReason(body: Readonly<Record<string, unknown>>): string | null {
  const feedback = body.promptFeedback ?? body.prompt_feedback;
  if (isRecord(feedback)) {
    const reason = feedback.blockReason ?? feedback.block_reason;
    if (typeof reason === 'string') return reason;
  }
  const candidate: unknown = Array.isArray(body.candidates) ? body.candidates[0] : undefined;
  if (!isRecord(candidate) || typeof candidate.finishReason !== 'string') return null;
  return candidate.finishReason;
}

function isBlocked(finishReason: string | null): boolean {
  return finishReason !== null && /content[_ ]?filter|safety|blocklist|prohibited|recitation|spii/i.test(finishReason);
}

function hasContent(message: unknown): boolean {
  return isRecord(message) && typeof message.content === 'string' && message.content.trim() !== '';
}

export function readUsage(usage: unknown): TokenUsage | null {
  if (!isRecord(usage)) return null;
  const promptTokens = usage.prompt_tokens ?? usage.input_tokens;
  const completionTokens = usage.completion_tokens ?? usage.output_tokens;
  if (typeof promptTokens !== 'number' || typeof completionTokens !== 'number') return null;
  return { promptTokens, completionTokens };
}
