import {
  ChatCompletion,
  isToolMessage,
  parseToolCalls,
  type Cancellation,
  type ChatCall,
  type ChatMessage,
  type ChatModel,
} from '#domain';

/** What a pause is told, and may change. */
export interface Pause {
  readonly turn: number;
  readonly completion: ChatCompletion;
  /** The whole conversation, the answer included. */
  readonly messages: readonly ChatMessage[];
}

export interface SteppingHandlers {
  /** Tool messages that came since the last answer, each with the name of its tool. */
  onToolResults(results: readonly { readonly message: ChatMessage; readonly tool: string }[]): void;
  /** Resolves with the message to go on with: the answer itself, or another. */
  onAnswer(pause: Pause): Promise<ChatMessage>;
}

/** Stops after each answer of a model until it may go on. Asks nothing more once the rollout is cancelled. */
export class SteppingModel implements ChatModel {
  #turn = 0;
  #seen = 0;
  #tools = new Map<string, string>();

  constructor(
    private readonly model: ChatModel,
    private readonly cancellation: Cancellation,
    private readonly handlers: SteppingHandlers,
  ) {}

  async complete(messages: readonly ChatMessage[], call: ChatCall): Promise<ChatCompletion> {
    // An agent that catches every error would otherwise go on after it was given up (weakness H 28).
    this.cancellation.throwIfCancelled();
    this.showToolResults(messages);
    const completion = await this.model.complete(messages, call);
    const pause = { turn: ++this.#turn, completion, messages: [...messages, completion.message] };
    const message = await this.handlers.onAnswer(pause);
    this.cancellation.throwIfCancelled();
    this.#seen = messages.length + 1;
    this.#tools = new Map(parseToolCalls(message).map(({ id, function: called }) => [id ?? '', called?.name ?? '']));
    return message === completion.message ? completion : edited(completion, message);
  }

  private showToolResults(messages: readonly ChatMessage[]): void {
    const results = messages
      .slice(this.#seen)
      .filter(isToolMessage)
      .map((message) => ({ message, tool: this.#tools.get(message.tool_call_id ?? '') ?? 'unknown tool' }));
    if (results.length > 0) this.handlers.onToolResults(results);
  }
}

function edited({ usage }: ChatCompletion, message: ChatMessage): ChatCompletion {
  const finishReason = parseToolCalls(message).length > 0 ? 'tool_calls' : 'stop';
  return new ChatCompletion({ message, finishReason, usage });
}
