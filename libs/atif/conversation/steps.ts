import type { ChatMessage } from '#domain';
import type { AtifResult, AtifSource, AtifStep } from '../document.js';
import { archivable, present, presentOrNone } from '../values.js';
import { contentText, jsonText } from './content-text.js';
import { metricsOfUsage, modelNameOf, usageOf } from './inline-metrics.js';
import { RecordIndex } from './record-index.js';
import { recordedMetrics } from './recorded-metrics.js';
import { timeOfMs, timestampOf } from './timestamp.js';
import { toolCallsOf } from './tool-calls.js';

const SOURCES: ReadonlyMap<unknown, AtifSource> = new Map([
  ['system', 'system'],
  ['developer', 'system'],
  ['assistant', 'agent'],
  ['user', 'user'],
]);

const TOOL_ROLES: ReadonlySet<unknown> = new Set(['tool', 'function']);

/**
 * A conversation as steps (spec 0.3, 2.4): one for each message, but that tool messages become observations of the agent's
 * step before them. Any list of messages gives valid steps; none is changed.
 */
export function stepsOf(messages: readonly ChatMessage[], index = new RecordIndex(messages, null)): AtifStep[] {
  const steps: AtifStep[] = [];
  for (const message of messages) {
    if (!TOOL_ROLES.has(message.role)) {
      steps.push({ step_id: steps.length + 1, ...stepOf(message, index) });
      continue;
    }
    const last = steps.at(-1);
    const target = last?.source === 'agent' ? last : undefined;
    const result = resultOf(message, target, index);
    if (target) steps[steps.length - 1] = observed(target, result);
    else steps.push(loneObservation(steps.length + 1, message, result));
  }
  return steps;
}

function stepOf(message: ChatMessage, index: RecordIndex): Omit<AtifStep, 'step_id'> {
  const source = SOURCES.get(message.role) ?? 'user';
  const text = contentText(message.content);
  const calls = toolCallsOf(message);
  const reasoning = reasoningOf(message['reasoning_content']);
  if (source === 'agent') {
    const chat = index.chatOf(message);
    const metrics = chat ? recordedMetrics(chat) : metricsOfUsage(usageOf(message));
    return present({
      timestamp: timestampOf(message) ?? (chat && (timeOfMs(chat.answeredAt) ?? undefined)),
      source,
      model_name: modelNameOf(message) ?? chat?.completion.model ?? undefined,
      message: text,
      reasoning_content: reasoning,
      tool_calls: calls,
      metrics,
      llm_call_count: metrics && 1,
    });
  }
  // What only an agent's step may have would spoil the whole document.
  const extra = presentOrNone({
    original_role: SOURCES.has(message.role) ? undefined : roleText(message),
    reasoning_content: reasoning,
    tool_calls: calls,
  });
  return present({ timestamp: timestampOf(message), source, message: text, extra });
}

function reasoningOf(reasoning: unknown): string | undefined {
  if (reasoning === null || reasoning === undefined) return undefined;
  return typeof reasoning === 'string' ? reasoning : jsonText(reasoning);
}

function roleText(message: ChatMessage): string {
  return typeof message.role === 'string' ? message.role : '';
}

function resultOf(message: ChatMessage, target: AtifStep | undefined, index: RecordIndex): AtifResult {
  const id: unknown = message.tool_call_id;
  const isAnswer = id != null && target?.tool_calls?.some((call) => call.tool_call_id === idText(id));
  const recorded = index.toolOf(message);
  const extra = presentOrNone({
    tool_call_id: isAnswer ? undefined : (archivable(id) ?? null),
    duration_ms: recorded && Math.round(recorded.durationMs * 1000) / 1000,
    answered_at: recorded && (timeOfMs(recorded.answeredAt) ?? undefined),
    failed: recorded?.failed,
  });
  return present({
    source_call_id: isAnswer ? idText(id) : undefined,
    content: contentText(message.content),
    extra: extra,
  });
}

/** Ids that are numbers answer calls whose ids are. */
function idText(id: unknown): string {
  return typeof id === 'string' ? id : jsonText(id);
}

function observed(step: AtifStep, result: AtifResult): AtifStep {
  const { metrics, llm_call_count, ...before } = step;
  const results = [...(step.observation?.results ?? []), result];
  return present({ ...before, observation: { results }, metrics, llm_call_count });
}

function loneObservation(id: number, message: ChatMessage, result: AtifResult): AtifStep {
  return {
    step_id: id,
    source: 'system',
    message: '',
    observation: { results: [result] },
    extra: { original_role: roleText(message) },
  };
}
