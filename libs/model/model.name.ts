import { ModelConfigError } from './model.error.js';

export interface ModelName {
  readonly provider: string;
  /** As the provider knows it; may hold slashes and colons itself. */
  readonly model: string;
}

interface NameOptions {
  /** Says whether a provider of that name is known. */
  readonly isProvider: (name: string) => boolean;
  readonly provider?: string | null;
  /** With an own address, a first segment that is no provider belongs to the model's name (`Qwen/Qwen3-0.6B`). */
  readonly hasBaseUrl?: boolean;
}

/** What a bare model name tells of its maker (spec 0.3, section 4.1). */
const BY_PREFIX: readonly (readonly [RegExp, string])[] = [
  [/^claude/i, 'anthropic'],
  [/^gemini/i, 'gemini'],
  [/^grok/i, 'xai'],
];

const DEFAULT_PROVIDER = 'openai';

/**
 * Reads `provider/model`: split at the first slash only; a provider that is given wins, and the name is then the whole
 * model (case RJ-16). A name without a slash is `openai`'s unless its beginning says otherwise.
 *
 * @throws ModelConfigError for an empty half
 */
export function parseModelName(text: string, options: NameOptions): ModelName {
  const name = text.trim();
  if (name === '')
    throw new ModelConfigError('The model is not named. Expected provider/model, e.g. openai/gpt-5-mini.');
  const given = options.provider?.trim();
  if (given) return { provider: given.toLowerCase(), model: name };

  const slash = name.indexOf('/');
  if (slash < 0) {
    const known = BY_PREFIX.find(([pattern]) => pattern.test(name))?.[1];
    return { provider: options.hasBaseUrl ? DEFAULT_PROVIDER : (known ?? DEFAULT_PROVIDER), model: name };
  }
  const provider = name.slice(0, slash).trim().toLowerCase();
  const model = name.slice(slash + 1).trim();
  if (provider === '' || model === '') {
    throw new ModelConfigError(
      `Model name '${name}' lacks its ${provider === '' ? 'provider' : 'model'}. Expected provider/model, e.g. openai/gpt-5-mini.`,
    );
  }
  if (options.hasBaseUrl && !options.isProvider(provider)) return { provider: DEFAULT_PROVIDER, model: name };
  return { provider, model };
}
