import type { Secret } from '#domain';
import type { ModelSpec, ProviderApi } from '#model';

/** Which model judges, in the terms of the reference (spec B.1), camelCase. Everything but `model` may be left out. */
export interface ModelInfo {
  /** `provider/model`, or the model's own name when `provider` is given. */
  readonly model: string;
  readonly provider?: string | null;
  readonly apiKey?: Secret | string | null;
  readonly apiKeyEnv?: string | null;
  /** Any OpenAI-compatible server. */
  readonly baseUrl?: string | null;
  /** Seconds that one request may take. */
  readonly timeout?: number | null;
  readonly reasoningEffort?: string | null;
  readonly api?: ProviderApi;
  readonly scoreMin?: number | null;
  readonly scoreMax?: number | null;
  /** Comes before the judge's own instructions. */
  readonly systemPrompt?: string | null;
  readonly originalInput?: string | null;
}

export function toModelSpec(info: ModelInfo, timeout: number | null | undefined): ModelSpec {
  const seconds = timeout ?? info.timeout ?? null;
  return {
    model: info.model,
    provider: info.provider,
    apiKey: info.apiKey,
    apiKeyEnv: info.apiKeyEnv,
    baseUrl: info.baseUrl,
    timeoutMs: seconds === null ? null : seconds * 1000,
    reasoningEffort: info.reasoningEffort,
    api: info.api,
  };
}

export function asModelInfo(model: ModelInfo | string): ModelInfo {
  return typeof model === 'string' ? { model } : model;
}
