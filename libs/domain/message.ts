/**
 * Chat messages and tool calls, in OpenAI's own wire shape. They are never renamed or copied: what a trainer sent is
 * what goes back to it, unknown fields included.
 */

/** A model's request to run a tool. `arguments` is JSON text on the wire; some servers send the object itself. */
export interface ToolCall {
  readonly id?: string | null;
  readonly type?: string;
  readonly function?: {
    readonly name?: string;
    readonly arguments?: string | Readonly<Record<string, unknown>> | null;
  } | null;
  readonly [field: string]: unknown;
}

export interface ChatMessage {
  readonly role?: string;
  readonly content?: unknown;
  readonly tool_calls?: readonly ToolCall[] | null;
  readonly tool_call_id?: string | null;
  readonly [field: string]: unknown;
}

/** What answers a tool call in the conversation. */
export interface ToolMessage extends ChatMessage {
  readonly role: 'tool';
  readonly content: string;
  readonly tool_call_id: string;
}

/** A JSON Schema document (draft 7 or 2020-12), kept whole from the tool's author to the trainer. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A tool as a model sees it: OpenAI's function tool. */
export interface ToolDefinition {
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: JsonSchema;
    readonly strict?: boolean;
  };
}
