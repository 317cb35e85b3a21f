import type { Cancellation } from './cancellation.js';
import type { ChatMessage, ToolCall, ToolDefinition } from './message.js';
import { getMessageContent, parseToolCalls } from './messages.js';

/** Sampling parameters in OpenAI's names: `temperature`, `top_p`, `max_tokens`, `stop`, `logprobs` and any other. */
export type ChatParams = Readonly<Record<string, unknown>>;

export interface TokenUsage {
  readonly promptTokens: number;
  readonly completionTokens: number;
}

interface ChatCompletionFields {
  readonly message: ChatMessage;
  readonly finishReason: string | null;
  readonly usage: TokenUsage | null;
  readonly tokenIds?: readonly number[] | null;
  readonly promptTokenIds?: readonly number[] | null;
  readonly logprobs?: unknown;
  readonly model?: string | null;
  readonly usageReport?: Readonly<Record<string, unknown>> | null;
}

/** One answer of a model. `message` is the very object that was received; append it to the history as it is. */
export class ChatCompletion {
  readonly message: ChatMessage;
  /** As the model's server said it; do not trust it to tell whether there are tool calls. */
  readonly finishReason: string | null;
  readonly usage: TokenUsage | null;
  readonly tokenIds: readonly number[] | null;
  readonly promptTokenIds: readonly number[] | null;
  readonly logprobs: unknown;
  /** The model that has answered, as its server calls it. */
  readonly model: string | null;
  /** The usage as the server wrote it, details included. */
  readonly usageReport: Readonly<Record<string, unknown>> | null;

  constructor(fields: ChatCompletionFields) {
    this.message = fields.message;
    this.finishReason = fields.finishReason;
    this.usage = fields.usage;
    this.tokenIds = fields.tokenIds ?? null;
    this.promptTokenIds = fields.promptTokenIds ?? null;
    this.logprobs = fields.logprobs ?? null;
    this.model = fields.model ?? null;
    this.usageReport = fields.usageReport ?? null;
  }

  /** The tool calls of the answer; empty for a missing, null or odd field. */
  get toolCalls(): readonly ToolCall[] {
    return parseToolCalls(this.message);
  }

  get hasToolCalls(): boolean {
    return this.toolCalls.length > 0;
  }

  /** The answer's text, `''` when there is none. */
  get content(): string {
    return getMessageContent(this.message);
  }
}

/** What one chat call is made with. */
export interface ChatCall {
  readonly params: ChatParams;
  readonly tools: readonly ToolDefinition[];
  readonly cancellation: Cancellation;
}

/**
 * Who answers an agent's chat calls: the trainer's model, a hosted one, or a script. One per rollout, because it may
 * keep that rollout's serialised history. Messages are append-only from call to call.
 */
export interface ChatModel {
  complete(messages: readonly ChatMessage[], call: ChatCall): Promise<ChatCompletion>;
}
