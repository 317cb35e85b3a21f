import type { RolloutOutcome, RolloutRequest, ToolDefinition, TrajectoryRecord } from '#domain';
import { RecordIndex } from './conversation/record-index.js';
import { recordedMetrics } from './conversation/recorded-metrics.js';
import { stepsOf } from './conversation/steps.js';
import { timeOfMs } from './conversation/timestamp.js';
import { ATIF_VERSION, type AtifDocument, type AtifMetrics, type AtifStep, type FreeForm } from './document.js';
import { PRODUCER } from './producer.js';
import { totalsOf } from './report/totals.js';
import { archivable, archivableObject, present } from './values.js';

/** A finished rollout, as its document is made from it. */
export interface FinishedRollout {
  readonly request: RolloutRequest;
  readonly outcome: RolloutOutcome;
  readonly tools: readonly ToolDefinition[];
  /** Null for what a former process ran. */
  readonly record: TrajectoryRecord | null;
  /** Milliseconds since the epoch. */
  readonly acceptedAt: number;
  readonly startedAt: number | null;
  readonly sealedAt: number | null;
}

/** The document of a finished rollout (spec 0.3, 2.3 to 2.6). Null when nothing was said: documents have a step. */
export function trajectoryDocument(rollout: FinishedRollout): AtifDocument | null {
  const { request, outcome, record, tools } = rollout;
  // A rollout that ended before its first chat call has its prompt.
  const messages = outcome.finalMessages.length > 0 ? outcome.finalMessages : request.messages;
  if (messages.length === 0) return null;
  const index = new RecordIndex(messages, record);
  const steps = stepsOf(messages, index);
  const asides = index.unmatched.map((chat) =>
    present({ ...recordedMetrics(chat), model_name: chat.completion.model ?? undefined }),
  );
  return present({
    schema_version: ATIF_VERSION,
    session_id: outcome.rolloutId,
    trajectory_id: outcome.rolloutId,
    agent: present({
      ...PRODUCER,
      model_name: commonModel(steps),
      tool_definitions: tools.length > 0 ? (archivable(tools) as readonly FreeForm[]) : undefined,
      extra: { agent: request.agent },
    }),
    steps,
    final_metrics: totalsOf([...metricsOf(steps), ...asides], steps.length),
    extra: {
      osmosis: osmosisFields(rollout, asides),
      rollout: rolloutFields(rollout),
    },
  });
}

function metricsOf(steps: readonly AtifStep[]): AtifMetrics[] {
  return steps.flatMap(({ metrics }) => metrics ?? []);
}

/** The model of all turns that name one, when it is one. */
function commonModel(steps: readonly AtifStep[]): string | undefined {
  const names = new Set(steps.flatMap(({ model_name }) => model_name ?? []));
  return names.size === 1 ? [...names][0] : undefined;
}

/** What consumers look for (spec 0.3, 2.6); what is null is left out. */
function osmosisFields({ request, outcome }: FinishedRollout, asides: readonly FreeForm[]): FreeForm {
  return present({
    rollout_id: outcome.rolloutId,
    label: labelOf(request),
    reward: outcome.reward !== null && Number.isFinite(outcome.reward) ? outcome.reward : undefined,
    sample_metrics: sampleMetrics(outcome),
    request_metadata: archivableObject(request.metadata),
    request_extra_fields: archivableObject(request.extraFields),
    unmatched_llm_call_metrics: asides.length > 0 ? asides : undefined,
  });
}

function labelOf({ label, metadata }: RolloutRequest): string | undefined {
  if (typeof label === 'string') return label;
  const truth = metadata['ground_truth'];
  return typeof truth === 'string' ? truth : undefined;
}

function sampleMetrics({ sample }: RolloutOutcome): FreeForm | undefined {
  const metrics = archivableObject(sample?.metrics);
  return metrics && Object.keys(metrics).length > 0 ? metrics : undefined;
}

/** What the format has no field for. */
function rolloutFields({ request, outcome, acceptedAt, startedAt, sealedAt }: FinishedRollout): FreeForm {
  const { status, finishReason, errorMessage, failure, rewards, metrics, sample } = outcome;
  const timeOf = (ms: number | null): string | undefined => (ms === null ? undefined : (timeOfMs(ms) ?? undefined));
  return present({
    agent: request.agent,
    dialect: request.trainer.dialect,
    status,
    removed: sample?.removed ? true : undefined,
    finish_reason: finishReason,
    error_message: errorMessage ?? undefined,
    failure: archivable(failure ?? undefined),
    rewards: rewards.length > 0 ? archivable(rewards.map(snakeCase)) : undefined,
    metrics: archivable(snakeCase(metrics)),
    accepted_at: timeOf(acceptedAt),
    started_at: timeOf(startedAt),
    sealed_at: timeOf(sealedAt),
  });
}

function snakeCase(fields: object): FreeForm {
  const named = Object.entries(fields).map(([key, value]) => [
    key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    value as unknown,
  ]);
  return present(Object.fromEntries(named) as FreeForm);
}
