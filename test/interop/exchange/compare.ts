import type { RolloutCompletion } from '#testing';

const LATENCIES = ['total_latency_ms', 'llm_latency_ms', 'tool_latency_ms'] as const;

/** What must be the same whoever serves: all but the id, the times, and what rows of docs/compatibility.md name. */
export function comparable({
  final_messages,
  status,
  finish_reason,
  reward,
  error_message,
  metrics,
}: RolloutCompletion): object {
  const counts = Object.entries(metrics ?? {}).filter(
    ([name]) => ![...LATENCIES, 'max_context_tokens'].some((other) => other === name),
  );
  return { status, finish_reason, reward, error_message, final_messages, metrics: Object.fromEntries(counts) };
}

/** The times that make no sense, by name. */
export function oddLatencies({ metrics }: RolloutCompletion): string[] {
  if (!metrics) return ['metrics'];
  const odd = LATENCIES.filter((name) => !(metrics[name] >= 0 && metrics[name] < 60_000));
  return metrics.total_latency_ms < metrics.llm_latency_ms ? [...odd, 'total_latency_ms < llm_latency_ms'] : odd;
}

/** Python's `4.0` is our `4`: row integral-floats. */
const INTEGRAL_FLOAT = /(\d)\.0(?!\d)/g;

export function withoutIntegralFloats<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value).replace(INTEGRAL_FLOAT, '$1')) as Value;
}

export function hasIntegralFloats(value: unknown): boolean {
  return JSON.stringify(value).search(INTEGRAL_FLOAT) >= 0;
}
