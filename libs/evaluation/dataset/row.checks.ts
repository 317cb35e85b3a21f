import type { ChatMessage } from '#domain';
import { DatasetError, type DatasetFaultKind, type DatasetPlace } from './dataset.error.js';
import type { DatasetRow } from './dataset.types.js';
import { describeValue, isSyntaxError, parseJson } from './json.value.js';

type Values = Readonly<Record<string, unknown>>;

interface RowPlace extends DatasetPlace {
  readonly row: number;
}

/**
 * Makes a row of values that are under our names (spec F.1). `ground_truth`, `user_prompt` and `system_prompt` must be
 * there and be text that is not blank; `messages` stands in for both prompts where it has a value.
 *
 * @throws DatasetError naming row and column
 */
export function checkRow(values: Values, path: string, place: RowPlace): DatasetRow {
  const hasMessages = values['messages'] !== undefined && values['messages'] !== null;
  const required = hasMessages ? ['ground_truth'] : ['ground_truth', 'user_prompt', 'system_prompt'];
  const missing = required.filter((column) => !Object.hasOwn(values, column));
  if (missing.length > 0) {
    const message = `missing ${missing.join(', ')}. Columns of this row: ${Object.keys(values).join(', ') || 'none'}`;
    throw new DatasetError(path, { kind: 'missing', message, place, field: missing[0] });
  }
  for (const column of required) requireText(column, values[column], path, place);
  return {
    index: place.row,
    line: place.line,
    values,
    messages: hasMessages ? readMessages(values['messages'], path, place) : promptMessages(values),
    groundTruth: values['ground_truth'] as string,
  };
}

function requireText(column: string, value: unknown, path: string, place: RowPlace): void {
  const fault = textFault(value);
  if (!fault) return;
  const [kind, rule] = fault;
  throw new DatasetError(path, { kind, message: `${column} ${rule}`, place, field: column });
}

/** A number is not turned into text: `1.0`, `1` and `1e0` are three answers to compare with (case DS-14). */
function textFault(value: unknown): [DatasetFaultKind, string] | undefined {
  if (value === null || value === undefined) return ['null', 'cannot be null'];
  if (typeof value !== 'string') return ['type', `must be a string, not ${describeValue(value)}. Put it in quotes`];
  return value.trim() === '' ? ['empty', 'cannot be empty'] : undefined;
}

function promptMessages(values: Values): ChatMessage[] {
  return [
    { role: 'system', content: values['system_prompt'] },
    { role: 'user', content: values['user_prompt'] },
  ];
}

/** A list, or its JSON text: formats without lists (CSV) have no other way to hold one. */
function readMessages(value: unknown, path: string, place: RowPlace): ChatMessage[] {
  const fail = (rule: string): DatasetError =>
    new DatasetError(path, { kind: 'messages', message: `messages ${rule}`, place, field: 'messages' });
  const list = typeof value === 'string' ? parseList(value, fail) : value;
  if (!Array.isArray(list)) throw fail(`must be a list of messages, not ${describeValue(list)}`);
  if (list.length === 0) throw fail('cannot be an empty list');
  const odd = list.findIndex((message: unknown) => !isMessage(message));
  if (odd >= 0) throw fail(`has no message at place ${odd}: each is an object with a text 'role'`);
  return list as ChatMessage[];
}

function parseList(text: string, fail: (rule: string) => DatasetError): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw fail(`is text that is no JSON${isSyntaxError(error) ? `: ${error.message}` : ''}`);
  }
}

function isMessage(message: unknown): boolean {
  return typeof message === 'object' && message !== null && typeof (message as { role?: unknown }).role === 'string';
}
