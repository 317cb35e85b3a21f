import { OsmosisError } from '#domain';

/** A model, provider, key or address that is named wrongly. Found before anything is sent. */
export class ModelConfigError extends OsmosisError {
  constructor(message: string, details: Readonly<Record<string, unknown>> = {}) {
    super('CONFIG_INVALID', message, { details });
  }
}

export class UnknownProviderError extends ModelConfigError {
  constructor(
    readonly provider: string,
    known: readonly string[],
  ) {
    super(
      `Unknown model provider '${provider}'. Known: ${known.join(', ')}. For any other OpenAI-compatible server give its ` +
        'base_url, or register the provider.',
      { provider, known },
    );
  }
}

export class UnsupportedProviderError extends ModelConfigError {
  constructor(
    readonly provider: string,
    instead: string,
  ) {
    super(`Provider '${provider}' cannot be used directly. ${instead}.`, { provider });
  }
}

/** No key could be found for a provider that needs one. Names variables, never values. */
export class MissingApiKeyError extends ModelConfigError {
  constructor(
    readonly provider: string,
    /** Variables that were looked at. */
    readonly variables: readonly string[],
  ) {
    const [first] = variables;
    const looked = variables.length > 1 ? ` (also looked at: ${variables.slice(1).join(', ')})` : '';
    super(
      first === undefined
        ? `No API key for provider '${provider}': it has no default variable. Name one with api_key_env.`
        : `No API key for provider '${provider}': the environment variable ${first} is not set${looked}. ` +
            `Set it, e.g. export ${first}=..., or name another variable with api_key_env.`,
      { provider, variables },
    );
  }
}
