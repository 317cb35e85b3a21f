import { getMessageText, isUserMessage, type ChatMessage, type ToolCall } from '#domain';
import { ProviderRequestError, type ProviderFaultKind } from '#model';
import { DatasetError } from '../../dataset/index.js';
import type { Script, ScriptAnswer, ScriptRequest } from './script.js';

/** One entry of a script file. */
interface ScriptEntry {
  /** For conversations whose first user message is this text. Absent: for those that no other entry is for. */
  readonly user: string | undefined;
  /** One for each turn. */
  readonly answers: readonly ScriptStep[];
}

type ScriptStep = ScriptAnswer | { readonly fault: ProviderFaultKind };

const FAULTS: readonly ProviderFaultKind[] = [
  'authentication',
  'permission',
  'quota',
  'rate_limit',
  'not_found',
  'context_length',
  'content_filter',
  'parameter',
  'refused',
  'server',
  'timeout',
  'connection',
  'protocol',
];

/**
 * Reads the records of a script file: `{ "user": "What is 2 + 3?", "answers": [ … ] }`, where an answer is text, a list of
 * tool calls (`{ "name": "add", "arguments": { "a": 2, "b": 3 } }`, or OpenAI's form), a whole assistant message, or
 * `{ "fault": "rate_limit" }` for a call that fails.
 *
 * @throws DatasetError naming the entry that cannot be read
 */
export function scriptOf(records: readonly unknown[], path: string): Script {
  const entries = records.map((record, index) => readEntry(record, index, path));
  return (request, turn) => answer(entries, request, turn, path);
}

function answer(
  entries: readonly ScriptEntry[],
  { messages }: ScriptRequest,
  turn: number,
  path: string,
): ScriptAnswer {
  const asked = getMessageText(messages.find(isUserMessage) ?? {});
  const entry = entries.find(({ user }) => user === asked) ?? entries.find(({ user }) => user === undefined);
  if (!entry) throw unanswered(path, `has no entry for ${JSON.stringify(asked.slice(0, 80))}`);
  const step = entry.answers[turn];
  if (step === undefined) throw unanswered(path, `has ${entry.answers.length} answers for this conversation, not more`);
  if (isFault(step)) throw fault(path, step.fault, 'the script says so');
  return step;
}

function isFault(step: ScriptStep): step is { readonly fault: ProviderFaultKind } {
  return typeof step === 'object' && !Array.isArray(step) && typeof (step as { fault?: unknown }).fault === 'string';
}

/** Nothing else of the run is wrong, so that the run ends as one whose model refused. */
function unanswered(path: string, what: string): ProviderRequestError {
  return fault(path, 'refused', `the script ${what}`);
}

function fault(path: string, kind: ProviderFaultKind, detail: string): ProviderRequestError {
  return new ProviderRequestError({ kind, provider: 'scripted', model: path, detail });
}

function readEntry(record: unknown, index: number, path: string): ScriptEntry {
  const { user, answers } = (record ?? {}) as { readonly user?: unknown; readonly answers?: unknown };
  const fail = (message: string): DatasetError =>
    new DatasetError(path, { kind: 'shape', message: `this is no script: ${message}`, place: { row: index } });
  if (user !== undefined && typeof user !== 'string') throw fail("'user' must be text");
  if (!Array.isArray(answers)) throw fail("each entry needs 'answers', a list with one answer for each turn");
  return {
    user,
    answers: answers.map((each: unknown, turn) => readStep(each, (what) => fail(`answer ${turn} ${what}`))),
  };
}

function readStep(step: unknown, fail: (what: string) => DatasetError): ScriptStep {
  if (typeof step === 'string') return step;
  if (Array.isArray(step)) return step.map((call: unknown, index) => readCall(call, index, fail));
  if (typeof step !== 'object' || step === null) throw fail('must be text, a list of tool calls or an object');
  const kind: unknown = (step as { fault?: unknown }).fault;
  if (kind === undefined) return step as ChatMessage;
  const known = FAULTS.find((name) => name === kind);
  if (!known) throw fail(`has an unknown fault. Known: ${FAULTS.join(', ')}`);
  return { fault: known };
}

function readCall(call: unknown, index: number, fail: (what: string) => DatasetError): ToolCall {
  if (typeof call !== 'object' || call === null) throw fail(`has no tool call at place ${index}`);
  if ('function' in call) return call as ToolCall;
  const { name, arguments: args, id } = call as { name?: unknown; arguments?: unknown; id?: unknown };
  if (typeof name !== 'string') throw fail(`has a tool call without a name at place ${index}`);
  return {
    id: typeof id === 'string' ? id : `call_${index}`,
    type: 'function',
    function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args ?? {}) },
  };
}
