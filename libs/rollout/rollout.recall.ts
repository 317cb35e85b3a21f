import type { ToolDefinition } from '#domain';
import { RolloutRecord } from './rollout.record.js';
import type { RememberedRow, UnfinishedRow } from './store/index.js';

/** The record of a rollout that a former process has ended: all that a repeated request needs. */
export function rememberedRecord(row: RememberedRow): RolloutRecord {
  const record = new RolloutRecord(row.rolloutId, row.idempotencyKey, row.fingerprint, '', '');
  answerAsBefore(record, row.tools);
  record.state = 'done';
  record.endedAt = row.endedAt;
  return record;
}

/** The record of a rollout that goes on. */
export function reopenedRecord(row: UnfinishedRow): RolloutRecord {
  const record = new RolloutRecord(row.rolloutId, row.idempotencyKey, row.fingerprint, row.agent, row.dialect);
  record.acceptedAt = row.acceptedAt;
  record.startedAt = row.startedAt;
  answerAsBefore(record, row.tools);
  return record;
}

function answerAsBefore(record: RolloutRecord, toolsJson: string): void {
  const { rolloutId } = record;
  let tools: readonly ToolDefinition[] | undefined;
  record.accepted = Promise.resolve({
    rolloutId,
    toolsJson,
    duplicate: true,
    get tools() {
      return (tools ??= JSON.parse(toolsJson) as ToolDefinition[]);
    },
  });
}
