import type { RunSummary } from '../run/run.record.js';

/** The runs are in the order of the rows. */
export function* rowsJson(runs: readonly RunSummary[]): Generator<Record<string, unknown>> {
  for (let at = 0; at < runs.length;) {
    const row = runs[at]?.row_index;
    let end = at;
    while (runs[end]?.row_index === row && end < runs.length) end++;
    const ofRow = runs.slice(at, end);
    yield { row_index: row, ...rowCounts(ofRow), runs: ofRow.map(runJson) };
    at = end;
  }
}

/** Case ST-03: what the denominators are made of, row by row. */
function rowCounts(runs: readonly RunSummary[]): Record<string, number> {
  return { n_total: runs.length, n_error: runs.filter(({ success }) => !success).length };
}

function runJson(run: RunSummary): Record<string, unknown> {
  return {
    run_index: run.run_index,
    success: run.success,
    scores: run.scores,
    duration_ms: run.duration_ms,
    tokens: run.token_usage.total_tokens,
    ...(run.model_tag === null ? {} : { model_tag: run.model_tag }),
    ...(run.error === null ? {} : { error: run.error, failure_class: run.failure?.class ?? null, blame: run.blame }),
    ...(Object.keys(run.score_errors).length === 0 ? {} : { score_errors: run.score_errors }),
    reward: run.reward,
    finish_reason: run.finish_reason,
    rollout_id: run.rollout_id,
  };
}
