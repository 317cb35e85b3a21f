import type { EvaluationData } from '../report/evaluation.data.js';
import type { RunSummary } from '../run/run.record.js';

/** A finished run that got a score of 1 by `exact`, but for what is said otherwise. */
export function aRun(overrides: Partial<RunSummary> = {}): RunSummary {
  const success = overrides.success ?? true;
  return {
    row_index: 0,
    run_index: 0,
    model_tag: null,
    rollout_id: 'eval-0-run-0',
    success,
    finish_reason: 'stop',
    error: success ? null : 'it broke',
    failure: success
      ? null
      : { class: 'agent', phase: 'agent', code: 'AGENT_FAILED', message: 'it broke', retryable: false },
    blame: success ? null : 'agent',
    reward: success ? 1 : null,
    scores: success ? { exact: 1 } : {},
    score_errors: {},
    duration_ms: 1_500,
    llm_latency_ms: 0,
    tool_latency_ms: 0,
    num_tool_calls: 0,
    max_context_tokens: 0,
    token_usage: { prompt_tokens: 1_000, completion_tokens: 24, total_tokens: 1_024, num_llm_calls: 1 },
    empty_answer: false,
    tries: 1,
    started_at: '2026-01-02T03:04:05.000Z',
    ...overrides,
  };
}

export function anEvaluation(runs: readonly RunSummary[], overrides: Partial<EvaluationData> = {}): EvaluationData {
  return {
    config: {
      model: 'openai/gpt-5-mini',
      baselineModel: runs.some(({ model_tag }) => model_tag === 'baseline') ? 'openai/old' : null,
      agent: 'adder',
      datasetPath: 'rows.jsonl',
      runsPerRow: 1,
      threshold: 1,
      ks: [1],
      scorers: ['exact'],
      version: '1.2.3',
      identity: {
        dataset: { sha256: 'abc' },
        agent: { name: 'adder' },
        model: { model: 'gpt-5-mini' },
        baseline: null,
        parameters: {},
        scorers: ['exact'],
      },
    },
    runs,
    labels: new Map(),
    startedAt: '2026-01-02T03:04:05.000Z',
    durationMs: 125_500,
    stopReason: null,
    ...overrides,
  };
}
