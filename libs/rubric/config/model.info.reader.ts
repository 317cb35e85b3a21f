import { Secret } from '#domain';
import type { ModelInfo } from '../model.info.js';
import { describe, given, type ProblemList } from './problem.list.js';
import type { YamlMap } from './yaml.tree.js';

const KEYS = new Set([
  'provider',
  'model',
  'api_key',
  'api_key_env',
  'base_url',
  'timeout',
  'reasoning_effort',
  'api',
  'score_min',
  'score_max',
  'system_prompt',
  'original_input',
]);

/** What belongs to one provider and must not travel to another. */
const BOUND_TO_PROVIDER = ['api_key', 'api_key_env', 'base_url', 'api', 'model', 'reasoning_effort'];

/**
 * The entry's model info over the document's default, key by key (weakness H 8: the reference takes one or the other).
 * When the entry names another provider, the default's key, address and model do not follow it there.
 */
export function mergeModelInfo(own: YamlMap | null, fallback: YamlMap | null): YamlMap | null {
  if (!own || !fallback) return own ?? fallback;
  const entries = new Map(fallback.entries);
  if (given(own, 'provider') && textOf(own, 'provider') !== textOf(fallback, 'provider')) {
    for (const key of BOUND_TO_PROVIDER) entries.delete(key);
  }
  for (const [key, entry] of own.entries) {
    if (given(own, key) || !entries.has(key)) entries.set(key, entry);
  }
  return { ...own, entries };
}

function textOf(map: YamlMap, key: string): string {
  const node = given(map, key)?.node;
  return node?.kind === 'scalar' ? String(node.value).trim().toLowerCase() : '';
}

/** Reads a model info; null when it lacks what nothing can be asked without. */
export function readModelInfo(map: YamlMap, list: ProblemList): ModelInfo | null {
  const before = list.problems.length;
  list.unknownKeys(map, KEYS, 'model_info');
  const model = list.text(map, 'model');
  if (model === null && list.problems.length === before) {
    list.add(map, 'model_info must name a model, e.g. model: openai/gpt-5-mini');
  }
  const info: ModelInfo = {
    model: model ?? '',
    provider: list.text(map, 'provider'),
    apiKey: Secret.from(list.text(map, 'api_key')),
    apiKeyEnv: list.text(map, 'api_key_env'),
    baseUrl: list.text(map, 'base_url'),
    timeout: readTimeout(map, list),
    reasoningEffort: list.text(map, 'reasoning_effort'),
    api: readApi(map, list),
    scoreMin: list.number(map, 'score_min'),
    scoreMax: list.number(map, 'score_max'),
    systemPrompt: list.text(map, 'system_prompt'),
    originalInput: list.text(map, 'original_input'),
  };
  return list.problems.length === before ? info : null;
}

/** A timeout of 0 is no way to switch it off (weakness H 7). */
function readTimeout(map: YamlMap, list: ProblemList): number | null {
  const timeout = list.number(map, 'timeout');
  if (timeout === null || timeout > 0) return timeout;
  list.add(map.entries.get('timeout')?.node ?? map, `timeout must be seconds above 0, not ${timeout}`);
  return null;
}

function readApi(map: YamlMap, list: ProblemList): ModelInfo['api'] {
  const entry = given(map, 'api');
  if (!entry) return undefined;
  const value = entry.node.kind === 'scalar' ? entry.node.value : undefined;
  if (value === 'chat' || value === 'responses') return value;
  list.add(entry.node, `api must be chat or responses, not ${describe(entry.node)}`);
  return undefined;
}
