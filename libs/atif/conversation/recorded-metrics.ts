import type { RecordedChat } from '#domain';
import type { AtifMetrics } from '../document.js';
import { archivable, isObject, present } from '../values.js';
import { metricsOfUsage } from './inline-metrics.js';

/** The metrics of a chat call that was recorded while its rollout ran: usage, time, token ids, log probabilities. */
export function recordedMetrics({ completion, latencyMs }: RecordedChat): AtifMetrics {
  const { usage, usageReport, finishReason, promptTokenIds, tokenIds } = completion;
  const counted = usage && { prompt_tokens: usage.promptTokens, completion_tokens: usage.completionTokens };
  const figures = metricsOfUsage(usageReport) ?? counted ?? {};
  const logprobs = logprobsOf(completion.logprobs);
  return present({
    ...figures,
    prompt_token_ids: idsOf(promptTokenIds),
    completion_token_ids: idsOf(tokenIds),
    logprobs,
    extra: present({
      ...('extra' in figures ? figures.extra : {}),
      finish_reason: finishReason ?? undefined,
      latency_ms: Number.isFinite(latencyMs) ? Math.round(latencyMs * 1000) / 1000 : undefined,
      // In a form of its own: kept as it came.
      logprobs: logprobs === undefined ? (archivable(completion.logprobs) ?? undefined) : undefined,
    }),
  });
}

function idsOf(ids: readonly number[] | null): readonly number[] | undefined {
  return ids?.every((id) => Number.isSafeInteger(id)) ? ids : undefined;
}

/** A list of numbers, or OpenAI's `{content: [{token, logprob}, …]}`. */
function logprobsOf(logprobs: unknown): readonly number[] | undefined {
  const content = isObject(logprobs) ? logprobs['content'] : logprobs;
  if (!Array.isArray(content)) return undefined;
  const numbers = content.map((entry: unknown) => (isObject(entry) ? entry['logprob'] : entry));
  return numbers.every((number): number is number => Number.isFinite(number)) ? numbers : undefined;
}
