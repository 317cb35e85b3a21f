import type { ChatCall, ToolDefinition } from '#domain';
import type { ChatEnvelope } from '../client/chat-history.js';
import { chatParamJson, refuseChatParam } from '../client/chat-param.js';
import { strictJson } from '../transport/index.js';

/** What controllers see; they ignore it (spec 1.14). */
const MODEL = 'osmosis-rollout';
/** Ours alone to set. */
const RESERVED: ReadonlySet<string> = new Set(['messages', 'stream', 'n']);

/** The tools of an agent are one list for all its rollouts: written once. */
const toolsJson = new WeakMap<readonly ToolDefinition[], string>();

/**
 * The request body of a chat call but for its messages: a plain OpenAI request, with the agent's tools in it (spec 1.0,
 * 1.21). Parameters go as they are; null is as good as absent. `tools` in the call's own parameters go instead of the
 * agent's.
 *
 * @param onIgnored called with the name of each reserved parameter that was given
 * @throws OsmosisError REQUEST_INVALID naming the parameter that cannot be sent
 */
export function chatEnvelope({ params, tools }: ChatCall, onIgnored: (name: string) => void): ChatEnvelope {
  const fields: string[] = [];
  if (tools.length > 0 && (params['tools'] ?? null) === null) fields.push(`"tools":${toolsText(tools)}`);
  for (const [name, value] of Object.entries(params)) {
    if (name === 'model' || value === undefined || value === null) continue;
    if (typeof value === 'number' && !Number.isFinite(value)) refuseChatParam(name, 'a finite number', value);
    if (!RESERVED.has(name)) fields.push(`${strictJson(name)}:${chatParamJson(params, name)}`);
    else if (!(name === 'stream' && value === false)) onIgnored(name);
  }
  // Said aloud, because some gateways stream unless told not to (case RS-11).
  fields.push('"stream":false');
  return { model: model(params['model'] ?? MODEL), tail: fields.join(',') };
}

function model(value: unknown): string {
  return typeof value === 'string' ? strictJson(value) : refuseChatParam('model', 'a string', value);
}

function toolsText(tools: readonly ToolDefinition[]): string {
  const known = toolsJson.get(tools);
  if (known !== undefined) return known;
  const text = strictJson(tools);
  toolsJson.set(tools, text);
  return text;
}
