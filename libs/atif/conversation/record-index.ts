import {
  isAssistantMessage,
  type ChatMessage,
  type RecordedChat,
  type RecordedTool,
  type TrajectoryRecord,
} from '#domain';

/**
 * Finds what was recorded of a message. Loops that hand on the messages they got are followed by identity. Where a loop
 * made messages of its own, and there are as many answers as recorded calls at the end of the conversation, order tells.
 */
export class RecordIndex {
  readonly #chats = new Map<ChatMessage, RecordedChat>();
  readonly #tools = new Map<ChatMessage, RecordedTool>();
  readonly #unmatched: Set<RecordedChat>;

  constructor(messages: readonly ChatMessage[], record: TrajectoryRecord | null) {
    this.#unmatched = new Set(record?.chats);
    if (!record) return;
    for (const tool of record.tools) this.#tools.set(tool.message, tool);
    const known = new Set(messages);
    for (const chat of record.chats) this.#chats.set(chat.completion.message, chat);
    if (record.chats.every(({ completion }) => known.has(completion.message))) return;
    const answers = messages.filter(isAssistantMessage).slice(-record.chats.length);
    if (answers.length !== record.chats.length || answers.some((answer) => this.#chats.has(answer))) return;
    answers.forEach((answer, index) => this.#chats.set(answer, record.chats[index] as RecordedChat));
  }

  /** Calls that no message has been matched with: asides, and messages that the loop has left out. */
  get unmatched(): readonly RecordedChat[] {
    return [...this.#unmatched];
  }

  chatOf(message: ChatMessage): RecordedChat | undefined {
    const chat = this.#chats.get(message);
    if (chat) this.#unmatched.delete(chat);
    return chat;
  }

  toolOf(message: ChatMessage): RecordedTool | undefined {
    return this.#tools.get(message);
  }
}
