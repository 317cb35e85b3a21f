import { normalizeStop, type ChatParams } from '#domain';
import type { ChatEnvelope } from '../client/chat-history.js';
import { chatParamJson, refuseChatParam } from '../client/chat-param.js';
import { laxBool, laxFloat, laxInt, type Checked } from '../http/lax-values.js';
import { strictJson } from '../transport/index.js';

/** Ours alone to set. A caller's value is ignored, with a warning. */
const RESERVED: ReadonlySet<string> = new Set(['messages', 'rollout_id', 'stream', 'n', 'tools']);
const DECLARED: ReadonlySet<string> = new Set(['model', 'temperature', 'top_p', 'max_tokens', 'stop', 'logprobs']);

/**
 * The request body of a chat call but for its messages (spec 1.4), fields in the reference's order. Declared parameters
 * are converted as the reference converts them (`"0.5"`, `"yes"`); null is as good as absent. `stream: false` is said
 * aloud, because some gateways stream unless told not to (case RS-11). Parameters that the reference does not know are
 * handed on as they are (spec 13.11).
 *
 * @param onIgnored called with the name of each reserved parameter that was given
 * @throws OsmosisError REQUEST_INVALID naming the parameter that cannot be sent
 */
export function chatEnvelope(params: ChatParams, rolloutId: string, onIgnored: (name: string) => void): ChatEnvelope {
  const stop = normalizeStop(params['stop']);
  const fields = [
    `"rollout_id":${strictJson(rolloutId)}`,
    `"temperature":${float(params, 'temperature', 1)}`,
    `"top_p":${float(params, 'top_p', 1)}`,
    `"max_tokens":${integer(params, 'max_tokens', 512)}`,
  ];
  if (stop) fields.push(`"stop":${strictJson(stop)}`);
  fields.push(`"logprobs":${boolean(params, 'logprobs', true)}`, '"stream":false');
  for (const [name, value] of Object.entries(params)) {
    if (DECLARED.has(name) || value === undefined) continue;
    if (!RESERVED.has(name)) fields.push(`${strictJson(name)}:${chatParamJson(params, name)}`);
    else if (value !== null && !(name === 'stream' && value === false)) onIgnored(name);
  }
  return { model: model(params), tail: fields.join(',') };
}

function model(params: ChatParams): string {
  const value = params['model'] ?? 'default';
  if (typeof value !== 'string') refuseChatParam('model', 'a string', value);
  return strictJson(value);
}

function float(params: ChatParams, name: string, fallback: number): number {
  const value = params[name] ?? fallback;
  return accept(name, 'a finite number', value, laxFloat(value), Number.isFinite);
}

function integer(params: ChatParams, name: string, fallback: number): number {
  const value = params[name] ?? fallback;
  return accept(name, 'an integer', value, laxInt(value));
}

function boolean(params: ChatParams, name: string, fallback: boolean): boolean {
  const value = params[name] ?? fallback;
  return accept(name, 'true or false', value, laxBool(value));
}

function accept<Value>(
  name: string,
  wanted: string,
  given: unknown,
  checked: Checked<Value>,
  also: (value: Value) => boolean = () => true,
): Value {
  if ('value' in checked && also(checked.value)) return checked.value;
  return refuseChatParam(name, wanted, given);
}
