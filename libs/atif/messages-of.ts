import type { ChatMessage } from '#domain';
import { RAW_ARGUMENTS } from './conversation/tool-calls.js';
import type { AtifDocument, AtifResult, AtifStep, AtifToolCall } from './document.js';
import { isObject, present } from './values.js';

/**
 * The conversation of a document as chat messages (spec 0.3, 2.7). What the conversion to steps has put aside in `extra` is
 * taken from there: roles that the format does not know, ids that answer no call, arguments that are no JSON.
 */
export function messagesOf(document: AtifDocument): ChatMessage[] {
  return document.steps.flatMap((step) => {
    const results = step.observation?.results ?? [];
    const answers = results.map((result) => answerOf(result, isLoneObservation(step) ? roleOf(step) : 'tool'));
    return isLoneObservation(step) ? answers : [messageOf(step), ...answers];
  });
}

/** A tool message that no agent's step stood before. */
function isLoneObservation({ source, message, observation }: AtifStep): boolean {
  return source === 'system' && message === '' && observation !== undefined;
}

function messageOf(step: AtifStep): ChatMessage {
  return present({
    role: roleOf(step),
    content: step.message,
    reasoning_content: step.reasoning_content,
    tool_calls: step.tool_calls?.map(callOf),
  });
}

function roleOf({ source, extra }: AtifStep): string {
  const original = extra?.['original_role'];
  if (typeof original === 'string') return original;
  return source === 'agent' ? 'assistant' : source;
}

function callOf({ tool_call_id: id, function_name: name, arguments: args }: AtifToolCall) {
  const raw = args[RAW_ARGUMENTS];
  const text = typeof raw === 'string' && Object.keys(args).length === 1 ? raw : JSON.stringify(args);
  return { id, type: 'function', function: { name, arguments: text } };
}

function answerOf({ source_call_id: id, content, extra }: AtifResult, role: string): ChatMessage {
  const other = extra?.['tool_call_id'] ?? undefined;
  return present({ role, content: content ?? '', tool_call_id: id ?? (other as string | undefined) });
}

/** Whose document it is (spec 0.3, 2.7); null when it does not say. A `trajectory_id` counts only before a slash. */
export function rolloutIdOf(document: AtifDocument): string | null {
  const osmosis = document.extra?.['osmosis'];
  const own = isObject(osmosis) ? osmosis['rollout_id'] : undefined;
  if (typeof own === 'string') return own;
  if (typeof document.session_id === 'string') return document.session_id;
  const id = document.trajectory_id;
  const slash = typeof id === 'string' ? id.indexOf('/') : -1;
  return slash > 0 ? (id as string).slice(0, slash) : null;
}
