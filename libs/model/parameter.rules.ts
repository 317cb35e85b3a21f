import type { ChatParams } from '#domain';
import type { ProviderRequestError } from './provider.error.js';
import type { ProviderDefinition, TokenLimitName } from './provider.definition.js';

/** What a model does not take, and what it calls its token limit. */
export interface ParameterRules {
  readonly omit: ReadonlySet<string>;
  readonly tokenLimit: TokenLimitName;
  /** The name was learned: it is not learned again, or two refusals could send us back and forth. */
  readonly tokenLimitLearned?: boolean;
}

const SAMPLING = ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty'];

/** Models that reason and fix their own sampling, wherever they are served: `o3`, `openai/gpt-5-mini:free` (case RJ-09). */
const REASONING_FAMILY = /^(gpt-5|o[134](?![a-z0-9]))/;
/** Reasons, but refuses to be told how much. */
const NO_EFFORT_FAMILY = /^grok-4/;

const NOTHING: ReadonlySet<string> = new Set();

/** Rules known before anything was sent. */
export function familyRules(model: string, definition: ProviderDefinition): ParameterRules {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase();
  if (REASONING_FAMILY.test(name)) return { omit: new Set(SAMPLING), tokenLimit: 'max_completion_tokens' };
  const tokenLimit = definition.tokenLimit ?? 'max_tokens';
  return { omit: NO_EFFORT_FAMILY.test(name) ? new Set(['reasoning_effort']) : NOTHING, tokenLimit };
}

/**
 * The parameters to send. What the caller set is always sent: if the model refuses it, the caller must hear of it. What
 * is only preferred gives way to the rules. The token limit is sent under the name that the model knows.
 */
export function applyRules(params: ChatParams, preferred: ChatParams, rules: ParameterRules): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(preferred)) {
    if (value !== null && value !== undefined && !rules.omit.has(name)) result[tokenLimitName(name, rules)] = value;
  }
  for (const [name, value] of Object.entries(params)) {
    if (value !== undefined) result[tokenLimitName(name, rules)] = value;
  }
  return result;
}

function tokenLimitName(name: string, rules: ParameterRules): string {
  return isTokenLimit(name) ? rules.tokenLimit : name;
}

function isTokenLimit(name: string): name is TokenLimitName {
  return name === 'max_tokens' || name === 'max_completion_tokens';
}

/**
 * What a refusal teaches: a preferred parameter that it names is left out from now on; a token limit of the other name is
 * used when it names that (case RJ-10). Undefined when it teaches nothing new, so that no request is repeated in vain.
 */
export function learnFrom(
  error: ProviderRequestError,
  sent: Readonly<Record<string, unknown>>,
  params: ChatParams,
  rules: ParameterRules,
): ParameterRules | undefined {
  if (error.kind !== 'parameter') return undefined;
  const other = rules.tokenLimit === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens';
  if (rules.tokenLimit in sent && !rules.tokenLimitLearned && names(error.detail, other)) {
    return { ...rules, tokenLimit: other, tokenLimitLearned: true };
  }
  const refused = Object.keys(sent).find((name) => !(name in params) && isNamed(error, name));
  if (refused === undefined || rules.omit.has(refused) || isTokenLimit(refused)) return undefined;
  return { ...rules, omit: new Set([...rules.omit, refused]) };
}

function isNamed(error: ProviderRequestError, name: string): boolean {
  if (error.parameter !== undefined) return parameterRoot(error.parameter) === name;
  return names(error.detail, name) || (name === 'reasoning_effort' && /\breasoning\b/i.test(error.detail));
}

/** `reasoning.effort` and `text.format` are what the Responses API calls the parameters of the chat API. */
export function parameterRoot(parameter: string): string {
  if (parameter.startsWith('reasoning')) return 'reasoning_effort';
  if (parameter.startsWith('text')) return 'response_format';
  return parameter.split(/[.[]/, 1)[0] ?? parameter;
}

function names(text: string, parameter: string): boolean {
  return new RegExp(`(^|[^a-z0-9_])${parameter}($|[^a-z0-9_])`, 'i').test(text);
}
