import { parseToolCalls, type ChatMessage } from '#domain';
import type { AtifToolCall, FreeForm } from '../document.js';
import { archivableObject, isObject } from '../values.js';
import { nameText } from './content-text.js';

/** The key of arguments that are no JSON object: their text as the model wrote it. */
export const RAW_ARGUMENTS = '_raw';

/** The tool calls of a message (spec 0.3, 2.4); undefined when it has none. */
export function toolCallsOf(message: ChatMessage): readonly AtifToolCall[] | undefined {
  const calls = parseToolCalls(message)
    .filter(isObject)
    .map((call, index) => {
      const called = isObject(call['function']) ? call['function'] : {};
      return {
        tool_call_id: nameText(call['id']) ?? `call_${index}`,
        function_name: nameText(called['name']) ?? 'unknown',
        arguments: argumentsOf(called['arguments']),
      };
    });
  return calls.length > 0 ? calls : undefined;
}

function argumentsOf(given: unknown): FreeForm {
  if (typeof given !== 'string' || given === '') return archivableObject(given) ?? {};
  try {
    const parsed: unknown = JSON.parse(given);
    if (isObject(parsed)) return parsed;
  } catch {
    // Kept as text.
  }
  return { [RAW_ARGUMENTS]: given };
}
