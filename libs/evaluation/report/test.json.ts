import type { TestResult } from '../run/test.runner.js';

/** The results of a test as a JSON document: the keys of spec F.6, and ours beside them. */
export function testJson(result: TestResult): Record<string, unknown> {
  const { runs, summary, passed, failed, durationMs, cost, stopReason } = result;
  return {
    summary: {
      total: runs.length,
      passed,
      failed,
      total_duration_ms: durationMs,
      total_tokens: summary.totalTokens,
      failures_by_class: summary.failures,
      cost_usd: cost,
      stopped_early: stopReason !== null,
      ...(stopReason === null ? {} : { stop_reason: stopReason }),
    },
    results: runs.map((run) => ({
      row_index: run.row_index,
      success: run.success,
      error: run.error,
      failure_class: run.failure?.class ?? null,
      duration_ms: run.duration_ms,
      token_usage: run.token_usage,
      reward: run.reward,
      scores: run.scores,
      finish_reason: run.finish_reason,
    })),
  };
}
