import { ToolArgumentError } from './errors.js';
import { JsonSyntaxError, readJsonText } from './json-text.js';
import { pythonJson, pythonNumber, pythonTypeName } from './python-text.js';
import type { ToolCall, ToolMessage } from './message.js';

export function createToolResult(toolCallId: string, content: string): ToolMessage {
  return { role: 'tool', content, tool_call_id: toolCallId };
}

export function createToolErrorResult(toolCallId: string, message: string): ToolMessage {
  return createToolResult(toolCallId, `Error: ${message}`);
}

/**
 * What a tool returned, as the text of its tool message. Strings go as they are; numbers, booleans, null and undefined
 * (`null`) as text; everything else as JSON text in Python's style.
 *
 * @throws TypeError for values that have no JSON form: Map, Set, binary data, functions, cycles (case TC-17)
 */
export function serializeToolResult(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return pythonNumber(value);
  return pythonJson(value);
}

/**
 * The arguments of a tool call as an object. An object is handed through; text must be the JSON of an object. Valid JSON
 * is never touched (case TC-04), broken JSON is never repaired (cases TC-03, TC-19).
 *
 * @throws ToolArgumentError saying what was found instead, with the position for broken JSON
 */
export function parseToolArguments(args: unknown): Record<string, unknown> {
  if (typeof args === 'object' && args !== null && !Array.isArray(args)) return args as Record<string, unknown>;
  if (typeof args !== 'string') {
    throw new ToolArgumentError(`Expected str or dict arguments, got ${pythonTypeName(args)}`);
  }
  const parsed = parseJson(args);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new ToolArgumentError(`Expected dict from JSON, got ${pythonTypeName(parsed, args)}`);
  }
  return parsed as Record<string, unknown>;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ToolArgumentError(`Invalid JSON arguments: ${jsonFault(text, error)}`);
  }
}

/** Node's own message has no position for short texts. The position counts characters, as the model does. */
function jsonFault(text: string, error: unknown): string {
  try {
    readJsonText(text);
  } catch (fault) {
    if (fault instanceof JsonSyntaxError) {
      return `${fault.reason}: position ${Array.from(text.slice(0, fault.offset)).length}`;
    }
  }
  return error instanceof Error ? error.message : String(error);
}

export interface ToolCallInfo {
  readonly id: string | null;
  readonly name: string;
  readonly args: Record<string, unknown>;
}

/**
 * Id, name and parsed arguments of a tool call. A missing id reads `unknown`, a missing name `''`, missing arguments
 * `{}`.
 *
 * @throws ToolArgumentError carrying `toolCallId` and `toolName`
 */
export function getToolCallInfo(call: ToolCall): ToolCallInfo {
  const id = call.id === undefined ? 'unknown' : call.id;
  const name = call.function?.name ?? '';
  const args = call.function?.arguments;
  try {
    return { id, name, args: args === undefined ? {} : parseToolArguments(args) };
  } catch (error) {
    if (!(error instanceof ToolArgumentError)) throw error;
    throw new ToolArgumentError(error.message, { toolCallId: id ?? '', toolName: name });
  }
}

/**
 * Runs an executor for every call at once; results come in the order of the calls. For tools with limits, timeouts and
 * error results use `RolloutContext.executeTools`. Every executor has settled before this settles: the first rejection
 * in call order is then thrown.
 */
export async function executeToolCalls<Result>(
  calls: readonly ToolCall[] | null | undefined,
  executor: (call: ToolCall) => Promise<Result> | Result,
): Promise<Result[]> {
  if (!calls || calls.length === 0) return [];
  const settled = await Promise.allSettled(calls.map(async (call) => executor(call)));
  return settled.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}
