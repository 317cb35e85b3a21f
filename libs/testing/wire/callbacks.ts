import type { ChatMessage } from '#domain';
import { FieldReader, InvalidRequestError, isJsonObject, type JsonObject } from '#trainers';

/** What a server of dialect 0.3 tells a trainer: that the agent has ended, then how it was graded (spec 0.3, 1.8, 1.9). */
export type RolloutCallback =
  | { readonly kind: 'completion'; readonly rolloutId: string; readonly body: CompletionCallback }
  | { readonly kind: 'grader'; readonly rolloutId: string; readonly body: GraderCallback };

export interface CompletionCallback {
  readonly status: 'success' | 'failure' | 'cancelled';
  readonly rollout_id: string | null;
  readonly extra_fields: Readonly<Record<string, unknown>> | null;
  readonly err_message: string | null;
  readonly err_category: string | null;
}

export interface GraderCallback {
  readonly status: 'success' | 'failure';
  readonly rollout_id: string | null;
  /** Null when there was nothing to grade. */
  readonly sample: CallbackSample | null;
  readonly err_message: string | null;
  readonly err_category: string | null;
}

export interface CallbackSample {
  readonly messages: readonly ChatMessage[];
  readonly label: string | null;
  /** Of a kept and successful sample only. */
  readonly reward: number | null;
  readonly remove_sample: boolean;
  readonly metrics: Readonly<Record<string, unknown>>;
  readonly extra_fields: Readonly<Record<string, unknown>>;
}

/** @throws InvalidRequestError (422) with every fault */
export function readCompletionCallback(fields: JsonObject): CompletionCallback {
  const reader = new FieldReader(fields);
  const callback: CompletionCallback = {
    status: readStatus(reader, ['success', 'failure', 'cancelled']),
    rollout_id: reader.nullableString('rollout_id'),
    extra_fields: reader.nullableDict('extra_fields'),
    err_message: reader.nullableString('err_message'),
    err_category: reader.nullableString('err_category'),
  };
  if (reader.faults.length > 0) throw new InvalidRequestError(reader.faults);
  return callback;
}

/** @throws InvalidRequestError (422) with every fault */
export function readGraderCallback(fields: JsonObject): GraderCallback {
  const reader = new FieldReader(fields);
  const callback: GraderCallback = {
    status: readStatus(reader, ['success', 'failure']),
    rollout_id: reader.nullableString('rollout_id'),
    sample: readSample(reader, fields['sample']),
    err_message: reader.nullableString('err_message'),
    err_category: reader.nullableString('err_category'),
  };
  if (reader.faults.length > 0) throw new InvalidRequestError(reader.faults);
  return callback;
}

/** A status that is not the last one is a fault of the sender. */
function readStatus<Status extends string>(reader: FieldReader, terminal: readonly [Status, ...Status[]]): Status {
  const status = reader.string('status');
  const known = terminal.find((candidate) => candidate === status);
  if (known === undefined && reader.faults.length === 0) {
    reader.faults.push({ type: 'enum', loc: ['body', 'status'], msg: `Input should be one of ${terminal.join(', ')}` });
  }
  return known ?? terminal[0];
}

function readSample(reader: FieldReader, sample: unknown): CallbackSample | null {
  if (sample === undefined || sample === null) return null;
  const loc = ['body', 'sample'];
  if (!isJsonObject(sample)) {
    const msg = 'Input should be a valid dictionary or object to extract fields from';
    reader.faults.push({ type: 'model_attributes_type', loc, msg });
    return null;
  }
  const inner = new FieldReader(sample, { loc });
  const read: CallbackSample = {
    messages: inner.listOfDicts('messages', []),
    label: inner.nullableString('label'),
    reward: inner.nullableFloat('reward'),
    remove_sample: inner.bool('remove_sample', false),
    metrics: inner.dict('metrics', {}),
    extra_fields: inner.dict('extra_fields', {}),
  };
  reader.faults.push(...inner.faults);
  return read;
}
