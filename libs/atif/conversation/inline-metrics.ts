import type { AtifMetrics, FreeForm } from '../document.js';
import { archivable, isObject, present, presentOrNone } from '../values.js';

const DETAILS = [
  'prompt_tokens_details',
  'input_tokens_details',
  'completion_tokens_details',
  'output_tokens_details',
] as const;

/** Where a message says what it cost: `usage`, else `extra.response.usage` (spec 0.3, 2.4). */
export function usageOf(message: FreeForm): unknown {
  return isObject(message['usage']) ? message['usage'] : responseOf(message)?.['usage'];
}

/** Where a message says who wrote it: `model`, `model_name`, else `extra.response.model`. */
export function modelNameOf(message: FreeForm): string | undefined {
  const names = [message['model'], message['model_name'], responseOf(message)?.['model']];
  return names.find((name): name is string => typeof name === 'string' && name !== '');
}

function responseOf({ extra }: FreeForm): FreeForm | undefined {
  const response = isObject(extra) ? extra['response'] : undefined;
  return isObject(response) ? response : undefined;
}

/** A usage object as metrics; undefined when it has no figures, or a figure is no number. */
export function metricsOfUsage(usage: unknown): AtifMetrics | undefined {
  if (!isObject(usage)) return undefined;
  const figures = {
    prompt_tokens: usage['prompt_tokens'] ?? usage['input_tokens'] ?? undefined,
    completion_tokens: usage['completion_tokens'] ?? usage['output_tokens'] ?? undefined,
    cached_tokens: cachedTokens(usage) ?? undefined,
    cost_usd: usage['cost_usd'] ?? undefined,
  };
  const { cost_usd: cost, ...counts } = figures;
  if (!Object.values(counts).every((count) => count === undefined || Number.isSafeInteger(count))) return undefined;
  if (cost !== undefined && !Number.isFinite(cost)) return undefined;
  return presentOrNone({ ...(figures as Partial<AtifMetrics>), extra: detailsOf(usage) });
}

function cachedTokens(usage: FreeForm): unknown {
  if (usage['cached_tokens'] != null) return usage['cached_tokens'];
  const details = usage['prompt_tokens_details'] ?? usage['input_tokens_details'];
  return isObject(details) ? details['cached_tokens'] : undefined;
}

function detailsOf(usage: FreeForm): FreeForm | undefined {
  const details = DETAILS.map((name) => [name, archivable(usage[name])] as const);
  return presentOrNone(
    present(Object.fromEntries(details.filter(([, value]) => isObject(value) && Object.keys(value).length > 0))),
  );
}
