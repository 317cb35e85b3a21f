import { Secret, hasControlCharacters } from '#domain';
import { normalizeBaseUrl } from './base.url.js';
import { MissingApiKeyError, ModelConfigError } from './model.error.js';
import { parseModelName } from './model.name.js';
import { DEFAULT_TIMEOUT_SECONDS, type ProviderApi, type ProviderDefinition } from './provider.definition.js';
import type { ProviderRegistry } from './provider.registry.js';

/** Which model to ask, and how it is reached. */
export interface ModelSpec {
  /** `provider/model`, or the model's own name when `provider` is given. */
  readonly model: string;
  readonly provider?: string | null;
  readonly apiKey?: Secret | string | null;
  /** Name of the variable that holds the key. */
  readonly apiKeyEnv?: string | null;
  /** Any OpenAI-compatible server. */
  readonly baseUrl?: string | null;
  /** Milliseconds that one request may take. */
  readonly timeoutMs?: number | null;
  /** Sent where the model takes it, dropped where it does not. */
  readonly reasoningEffort?: string | null;
  /** Overrides what the provider's row says. */
  readonly api?: ProviderApi;
}

/** A model that can be asked: everything decided and checked. */
export interface ResolvedModel {
  readonly definition: ProviderDefinition;
  /** As it was named, alias included. */
  readonly provider: string;
  readonly model: string;
  readonly baseUrl: string;
  readonly key: Secret | null;
  readonly timeoutMs: number;
  readonly reasoningEffort: string | null;
  readonly api: ProviderApi;
  /** A provider's service at its own address, and no server of the user's. */
  readonly isService: boolean;
  /** Names the model at its address; what was learned of a model is kept under it. */
  readonly id: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Resolves a spec against the table and the environment.
 *
 * @throws ModelConfigError (or its children) saying what is wrong and how to mend it; never shows a key
 */
export function resolveModel(spec: ModelSpec, providers: ProviderRegistry, env: Environment): ResolvedModel {
  const givenUrl = spec.baseUrl?.trim() || null;
  const { provider, model } = parseModelName(spec.model, {
    isProvider: (name) => providers.has(name),
    provider: spec.provider,
    hasBaseUrl: givenUrl !== null,
  });
  const definition = givenUrl && !providers.has(provider) ? compatible(provider) : providers.get(provider);
  const baseUrl = resolveBaseUrl(definition, givenUrl, env);
  const isForeign = givenUrl !== null && !isProvidersOwn(definition, baseUrl);
  const useResponses = !isForeign && (definition.responses?.(model) ?? false);
  return {
    definition,
    provider,
    model,
    baseUrl,
    key: resolveKey(spec, definition, provider, isForeign, env),
    timeoutMs: resolveTimeoutMs(spec.timeoutMs, definition, model),
    reasoningEffort: spec.reasoningEffort?.trim() || null,
    api: spec.api ?? (useResponses ? 'responses' : 'chat'),
    isService: !isForeign && !definition.keyless,
    id: `${provider}/${model} at ${baseUrl}`,
  };
}

function compatible(name: string): ProviderDefinition {
  return { name, baseUrl: null, keyEnv: [], keyless: true };
}

function isProvidersOwn(definition: ProviderDefinition, baseUrl: string): boolean {
  return baseUrl === definition.baseUrl || (definition.ownHosts?.test(new URL(baseUrl).hostname) ?? false);
}

function resolveBaseUrl(definition: ProviderDefinition, given: string | null, env: Environment): string {
  if (given !== null) {
    const asGiven = given.replace(/\/+$/, '');
    return asGiven === definition.baseUrl ? asGiven : normalizeBaseUrl(given, definition.basePath);
  }
  if (definition.baseUrl !== null) return definition.baseUrl;
  for (const variable of definition.baseUrlEnv ?? []) {
    const value = env[variable]?.trim();
    if (value) return normalizeBaseUrl(value, definition.basePath);
  }
  const hint = definition.baseUrlEnv ? ` or set ${definition.baseUrlEnv[0]}` : '';
  throw new ModelConfigError(
    `Provider '${definition.name}' has no address of its own. Give base_url in model_info${hint}.`,
  );
}

/**
 * Key given, else the named variable, else the provider's default variables (spec B.3). The defaults go to the
 * provider's own address only: a configuration file that names another base URL must not be able to collect keys.
 */
function resolveKey(
  spec: ModelSpec,
  definition: ProviderDefinition,
  provider: string,
  isForeign: boolean,
  env: Environment,
): Secret | null {
  const given = typeof spec.apiKey === 'string' ? Secret.from(spec.apiKey) : (spec.apiKey ?? null);
  if (given) return checked(given, provider, 'api_key');

  const named = spec.apiKeyEnv?.trim();
  const variables = named ? [named] : isForeign ? [] : definition.keyEnv;
  for (const variable of variables) {
    const secret = Secret.from(env[variable]);
    if (secret) return checked(secret, provider, variable);
  }
  if (!named && (definition.keyless || isForeign)) return null;
  throw new MissingApiKeyError(provider, variables);
}

/** Surrounding white space is gone by now; what is left could not travel in a header (case NT-15). */
function checked(secret: Secret, provider: string, source: string): Secret {
  if (!hasControlCharacters(secret.reveal())) return secret;
  throw new ModelConfigError(
    `The API key for provider '${provider}' (from ${source}) has a control character, such as a line break, inside. ` +
      'Store the key alone, on one line.',
  );
}

function resolveTimeoutMs(given: number | null | undefined, definition: ProviderDefinition, model: string): number {
  if (given === null || given === undefined) {
    return (definition.timeoutSeconds?.(model) ?? DEFAULT_TIMEOUT_SECONDS) * 1000;
  }
  if (Number.isFinite(given) && given > 0) return given;
  throw new ModelConfigError(
    `The timeout of model '${model}' must be a number above 0, not ${given}. Leave it out for the default.`,
  );
}
