import type { ChatMessage, RolloutStatus } from '#domain';
import { FieldReader, InvalidRequestError, isJsonObject, type JsonObject } from '#trainers';

/**
 * A completion as the trainer keeps it: validated, unknown fields dropped, declared fields that are null left out
 * (spec 1.5). Free-form parts (messages, extra fields) are untouched.
 */
export interface RolloutCompletion {
  readonly rollout_id: string;
  readonly status: RolloutStatus;
  readonly final_messages: readonly ChatMessage[];
  readonly finish_reason?: string;
  readonly error_message?: string;
  /** Missing when the rollout has no reward; never 0 in its place. */
  readonly reward?: number;
  readonly metrics?: CompletionMetrics;
  readonly extra_fields: Readonly<Record<string, unknown>>;
}

/** Latencies are milliseconds, the rest are counts. */
export interface CompletionMetrics {
  readonly total_latency_ms: number;
  readonly llm_latency_ms: number;
  readonly tool_latency_ms: number;
  readonly num_llm_calls: number;
  readonly num_tool_calls: number;
  readonly prompt_tokens: number;
  readonly response_tokens: number;
  readonly max_context_tokens: number;
}

/** @throws InvalidRequestError (422) with every fault, in the order of the fields; an empty `rollout_id` is taken */
export function readRolloutCompletion(fields: JsonObject): RolloutCompletion {
  const reader = new FieldReader(fields);
  const rolloutId = reader.string('rollout_id');
  const status = readStatus(reader, fields);
  const finalMessages = reader.listOfDicts('final_messages', []);
  const finishReason = reader.nullableString('finish_reason');
  const errorMessage = reader.nullableString('error_message');
  const reward = reader.nullableFloat('reward');
  const metrics = readMetrics(reader, fields);
  const extraFields = reader.dict('extra_fields', {});
  if (reader.faults.length > 0) throw new InvalidRequestError(reader.faults);
  return {
    rollout_id: rolloutId,
    status,
    final_messages: finalMessages,
    ...(finishReason !== null && { finish_reason: finishReason }),
    ...(errorMessage !== null && { error_message: errorMessage }),
    ...(reward !== null && { reward }),
    ...(metrics !== null && { metrics }),
    extra_fields: extraFields,
  };
}

function readStatus(reader: FieldReader, { status }: JsonObject): RolloutStatus {
  if (status === 'COMPLETED' || status === 'ERROR') return status;
  if (status === undefined) {
    reader.faults.push({ type: 'missing', loc: ['body', 'status'], msg: 'Field required' });
  } else {
    reader.faults.push({ type: 'enum', loc: ['body', 'status'], msg: "Input should be 'COMPLETED' or 'ERROR'" });
  }
  return 'ERROR';
}

function readMetrics(reader: FieldReader, { metrics }: JsonObject): CompletionMetrics | null {
  if (metrics === undefined || metrics === null) return null;
  const loc = ['body', 'metrics'];
  if (!isJsonObject(metrics)) {
    const msg = 'Input should be a valid dictionary or object to extract fields from';
    reader.faults.push({ type: 'model_attributes_type', loc, msg });
    return null;
  }
  const inner = new FieldReader(metrics, { loc });
  const read: CompletionMetrics = {
    total_latency_ms: inner.float('total_latency_ms', 0),
    llm_latency_ms: inner.float('llm_latency_ms', 0),
    tool_latency_ms: inner.float('tool_latency_ms', 0),
    num_llm_calls: inner.int('num_llm_calls', 0),
    num_tool_calls: inner.int('num_tool_calls', 0),
    prompt_tokens: inner.int('prompt_tokens', 0),
    response_tokens: inner.int('response_tokens', 0),
    max_context_tokens: inner.int('max_context_tokens', 0),
  };
  reader.faults.push(...inner.faults);
  return read;
}
