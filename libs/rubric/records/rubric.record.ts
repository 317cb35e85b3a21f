import { getSolutionText, type ChatMessage } from '#domain';
import type { JsonlRecord } from './jsonl.reader.js';

/** One line of a data set that a rubric is applied to (spec C.2). */
export interface RubricRecord {
  /** The line as it was, unknown fields included. */
  readonly payload: Readonly<Record<string, unknown>>;
  readonly line: number;
  /** `''` when it has none, and the record then never matches. */
  readonly rubricId: string;
  readonly solutionStr: string;
  readonly conversationId: string | null;
  readonly recordId: string | null;
  readonly groundTruth: string | null;
  readonly originalInput: string | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly extraInfo: Readonly<Record<string, unknown>> | null;
  readonly scoreMin: number | null;
  readonly scoreMax: number | null;
}

/** A record that cannot be judged, by its own fault. */
export interface RecordFault {
  readonly line: number;
  readonly rubricId: string;
  readonly message: string;
}

export type ReadRecord = { readonly record: RubricRecord } | { readonly fault: RecordFault };

/** Reads the fields of a record. `messages` may stand in for `solution_str` (spec 0.3, section 4.3). */
export function readRecord({ line, value: payload }: JsonlRecord): ReadRecord {
  const rubricId = trimmed(payload.rubric_id) ?? '';
  const conversationId = trimmed(payload.conversation_id);
  const recordId = trimmed(payload.id);
  const label = conversationId ?? recordId ?? (rubricId || '<record>');
  const fault = (message: string): ReadRecord => ({
    fault: { line, rubricId, message: `record '${label}': ${message}` },
  });

  const solutionStr = solutionOf(payload);
  if (solutionStr === null) return fault('solution_str must be text that is not blank');
  for (const field of ['score_min', 'score_max']) {
    const value = payload[field];
    if (value !== undefined && value !== null && numeric(value) === null) {
      return fault(`${field} must be a number, not ${JSON.stringify(value)}`);
    }
  }
  const extraInfo = objectOf(payload.extra_info);
  return {
    record: {
      payload,
      line,
      rubricId,
      solutionStr,
      conversationId,
      recordId,
      groundTruth: textOf(payload.ground_truth),
      originalInput: textOf(payload.original_input) ?? textOf(extraInfo?.original_input),
      metadata: objectOf(payload.metadata),
      extraInfo,
      scoreMin: numeric(payload.score_min),
      scoreMax: numeric(payload.score_max),
    },
  };
}

/** @param index counts from 1 */
export function conversationLabel(record: RubricRecord, index: number): string {
  return record.conversationId ?? `record[${index}]`;
}

export function recordIdentifier(record: RubricRecord, label: string): string {
  if (record.recordId !== null) return record.recordId;
  const { id } = record.payload;
  if (id === null || id === undefined || typeof id === 'string') return label;
  return JSON.stringify(id);
}

/** What a classic scoring function gets as its extra info. */
export function mergedExtraInfo(record: RubricRecord): Record<string, unknown> | null {
  const merged: Record<string, unknown> = { ...record.extraInfo };
  if (record.metadata && Object.keys(record.metadata).length > 0 && !('dataset_metadata' in merged)) {
    merged.dataset_metadata = { ...record.metadata };
  }
  return Object.keys(merged).length > 0 ? merged : null;
}

/** What the judge is told of the case: other extra info never reaches the prompt (spec C.4). */
export function judgeMetadata(record: RubricRecord): Record<string, unknown> | null {
  const metadata: Record<string, unknown> = { ...objectOf(record.extraInfo?.metadata) };
  if (record.metadata && !('dataset_metadata' in metadata)) metadata.dataset_metadata = { ...record.metadata };
  return Object.keys(metadata).length > 0 ? metadata : null;
}

const PREVIEW_LENGTH = 140;

/** On one line, at most 140 characters; null for blank text. */
export function previewText(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const text = value.replace(/\s+/g, ' ').trim();
  if (text === '') return null;
  return text.length > PREVIEW_LENGTH ? `${text.slice(0, PREVIEW_LENGTH - 3).trimEnd()}...` : text;
}

function solutionOf(payload: Readonly<Record<string, unknown>>): string | null {
  const given = textOf(payload.solution_str);
  if (given !== null || payload.solution_str !== undefined) return given?.trim() ? given : null;
  if (!Array.isArray(payload.messages)) return null;
  const text = getSolutionText(payload.messages.filter((message) => objectOf(message) !== null) as ChatMessage[]);
  return text.trim() === '' ? null : text;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function trimmed(value: unknown): string | null {
  return typeof value === 'string' ? value.trim() || null : null;
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : null;
}

function numeric(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
