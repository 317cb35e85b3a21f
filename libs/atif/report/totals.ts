import type { AtifFinalMetrics, AtifMetrics, FreeForm } from '../document.js';
import { archivableObject, present } from '../values.js';

type Figure = 'prompt_tokens' | 'completion_tokens' | 'cached_tokens' | 'cost_usd';

/** Sums, field by field, over the calls that have it. */
export function totalsOf(calls: readonly Pick<AtifMetrics, Figure>[], steps: number): AtifFinalMetrics {
  return present({
    total_prompt_tokens: sum(calls, 'prompt_tokens'),
    total_completion_tokens: sum(calls, 'completion_tokens'),
    total_cached_tokens: sum(calls, 'cached_tokens'),
    total_cost_usd: sum(calls, 'cost_usd'),
    total_steps: steps,
  });
}

function sum(calls: readonly Pick<AtifMetrics, Figure>[], field: Figure): number | undefined {
  const figures = calls.map((call) => call[field]).filter((figure) => figure !== undefined);
  return figures.length === 0 ? undefined : figures.reduce((total, figure) => total + figure, 0);
}

/** Totals that a trainer reports, but for the number of steps, which is ours to count; undefined when they are invalid. */
export function reportedTotals(given: FreeForm, steps: number): AtifFinalMetrics | undefined {
  const totals = {
    total_prompt_tokens: given['total_prompt_tokens'] ?? undefined,
    total_completion_tokens: given['total_completion_tokens'] ?? undefined,
    total_cached_tokens: given['total_cached_tokens'] ?? undefined,
    total_cost_usd: given['total_cost_usd'] ?? undefined,
  };
  const { total_cost_usd: cost, ...counts } = totals;
  if (!Object.values(counts).every((count) => count === undefined || Number.isSafeInteger(count))) return undefined;
  if (cost !== undefined && !Number.isFinite(cost)) return undefined;
  const known = new Set([...Object.keys(totals), 'total_steps', 'extra']);
  // The format has no other fields.
  if (Object.keys(given).some((key) => !known.has(key))) return undefined;
  const extra = archivableObject(given['extra']);
  return present({ ...(totals as AtifFinalMetrics), total_steps: steps, extra });
}
