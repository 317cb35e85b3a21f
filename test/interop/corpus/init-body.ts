/** One request of the corpus. */
export interface InitCase {
  readonly kind: string;
  readonly body: Buffer;
  /** `application/json` when left out, no header when null. */
  readonly contentType?: string | null;
}

/** Fields of a body in order, each with the JSON text of its value: a field may stand twice, a number look in any way. */
export type Fields = readonly (readonly [name: string, json: string])[];

/** A body that every server takes, and which of its fields are what. */
export interface BodyShape {
  readonly valid: Fields;
  /** All fields, in the order in which their faults are told. */
  readonly all: readonly string[];
  readonly required: readonly string[];
  readonly id: string;
  readonly url: string;
  readonly strings: readonly string[];
  readonly numbers: readonly string[];
  readonly objects: readonly string[];
  readonly messages: string;
}

/** `POST /v1/rollout/init` of dialect 0.2. */
export const INIT_BODY: BodyShape = {
  valid: [
    ['rollout_id', '"corpus"'],
    ['server_url', '"http://127.0.0.1:9"'],
    ['messages', '[{"role": "user", "content": "hi"}]'],
    ['completion_params', '{"temperature": 0.5}'],
  ],
  all: [
    ...['rollout_id', 'server_url', 'messages', 'completion_params', 'tool_server_url'],
    ...['max_turns', 'max_tokens_total', 'metadata', 'api_key', 'idempotency_key'],
  ],
  required: ['rollout_id', 'server_url', 'messages', 'completion_params'],
  id: 'rollout_id',
  url: 'server_url',
  strings: ['rollout_id', 'server_url', 'tool_server_url', 'api_key', 'idempotency_key'],
  numbers: ['max_turns', 'max_tokens_total'],
  objects: ['metadata', 'completion_params'],
  messages: 'messages',
};

/** `POST /rollout` of dialect 0.3. */
export const ROLLOUT_BODY: BodyShape = {
  valid: [
    ['initial_messages', '[{"role": "user", "content": "hi"}]'],
    ['chat_completions_url', '"http://127.0.0.1:9/v1"'],
    ['completion_callback_url', '"http://127.0.0.1:9/completion"'],
  ],
  all: [
    ...['initial_messages', 'label', 'metadata', 'rollout_id', 'chat_completions_url', 'controller_api_key'],
    ...['llm_api_key', 'completion_callback_url', 'grader_callback_url', 'agent_timeout_sec', 'grader_timeout_sec'],
    'extra_fields',
  ],
  required: ['initial_messages', 'chat_completions_url', 'completion_callback_url'],
  id: 'rollout_id',
  url: 'chat_completions_url',
  strings: ['label', 'rollout_id', 'controller_api_key', 'llm_api_key', 'grader_callback_url'],
  numbers: ['agent_timeout_sec', 'grader_timeout_sec'],
  objects: ['metadata', 'extra_fields'],
  messages: 'initial_messages',
};

/** The valid body with other values; a field that it lacks is added. */
export function withFields({ valid }: BodyShape, changes: Fields): Fields {
  const changed = new Map(changes);
  const kept = valid.map(([name, json]) => [name, changed.get(name) ?? json] as const);
  return [...kept, ...changes.filter(([name]) => !valid.some(([known]) => known === name))];
}

export function textOf(fields: Fields): string {
  return `{${fields.map(([name, json]) => `${JSON.stringify(name)}: ${json}`).join(', ')}}`;
}
