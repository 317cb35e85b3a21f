import type { ModelTag } from './run.record.js';

/** `eval-⟨row⟩-run-⟨run⟩`, with the model's tag when two are compared (spec F.8). */
export function evalRolloutId(row: number, run: number, tag: ModelTag): string {
  return `eval-${row}-run-${run}${tag === null ? '' : `-${tag}`}`;
}

/** What a rollout's metadata says of the evaluation that it is a part of (spec F.8). */
export function evalMetadata(run: number, tag: ModelTag): Record<string, unknown> {
  return { execution_mode: 'eval', run_index: run, ...(tag === 'baseline' ? { model_tag: tag } : {}) };
}
