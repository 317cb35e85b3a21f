import type { Cancellation } from '#domain';
import type { RubricConfig } from '../config/rubric.suite.js';
import type { RubricService } from '../rubric.service.js';
import type { RubricRequest } from '../rubric.request.js';
import { judgeMetadata, mergedExtraInfo, type RubricRecord } from '../records/rubric.record.js';
import type { RubricScorer, ScorerInput } from './run.types.js';

type ClassicRubric = (
  solutionStr: string,
  groundTruth: string | null,
  extraInfo: Readonly<Record<string, unknown>>,
) => number | Promise<number>;

/** The judge as a scorer. */
export function judgeScorer(
  service: RubricService,
  how: Pick<RubricRequest, 'votes' | 'fallback' | 'timeout'> & { readonly cancellation: Cancellation },
): RubricScorer {
  return async ({ extraInfo: _, ...input }) => {
    const { score, explanation, raw } = await service.evaluate({ ...how, ...input });
    return { score, explanation, raw };
  };
}

/** A function with the classic signature as a scorer. */
export function classicScorer(rubric: ClassicRubric): RubricScorer {
  return ({ solutionStr, groundTruth, extraInfo }) => rubric(solutionStr, groundTruth, extraInfo);
}

/** What a scorer is given for a record: the record's own fields over the rubric's (spec C.4). */
export function scorerInput(config: RubricConfig, record: RubricRecord, defaultKeyEnv: string | null): ScorerInput {
  const systemPrompt = [config.systemPrompt, config.modelInfo.systemPrompt].filter(Boolean).join('\n\n') || null;
  const originalInput = record.originalInput ?? config.originalInput;
  return {
    rubric: config.rubricText,
    solutionStr: record.solutionStr,
    modelInfo: { ...config.modelInfo, systemPrompt },
    groundTruth: record.groundTruth ?? config.groundTruth,
    originalInput,
    metadata: judgeMetadata(record),
    scoreMin: record.scoreMin ?? config.scoreMin,
    scoreMax: record.scoreMax ?? config.scoreMax,
    extraInfo: classicExtraInfo(config, record, originalInput, defaultKeyEnv),
  };
}

function classicExtraInfo(
  config: RubricConfig,
  record: RubricRecord,
  originalInput: string | null,
  defaultKeyEnv: string | null,
): Record<string, unknown> {
  const { apiKey, apiKeyEnv, provider, model } = config.modelInfo;
  const key = apiKey ? { api_key: apiKey } : { api_key_env: apiKeyEnv ?? defaultKeyEnv };
  const scoreMin = record.scoreMin ?? config.scoreMin;
  const scoreMax = record.scoreMax ?? config.scoreMax;
  const { metadata: _metadata, api_key: _key, api_key_env: _env, ...rest } = mergedExtraInfo(record) ?? {};
  const metadata = judgeMetadata(record);
  return {
    ...rest,
    provider,
    model,
    ...key,
    rubric: config.rubricText,
    ...(scoreMin !== null && { score_min: scoreMin }),
    ...(scoreMax !== null && { score_max: scoreMax }),
    ...(config.systemPrompt !== null && { system_prompt: config.systemPrompt }),
    ...(originalInput !== null && { original_input: originalInput }),
    model_info: { ...config.modelInfo, ...key },
    ...(metadata && { metadata }),
  };
}
