import { OsmosisError, type Clock } from '#domain';
import { previewText, type RubricRecord } from '../records/rubric.record.js';
import type { EvaluationRun, RubricScorer, ScorerInput, ScorerResult } from './run.types.js';

/**
 * Judges one record once. Never throws: what went wrong is in the run, and the other runs go on (spec C.5).
 *
 * @param runIndex counts from 1
 */
export async function evaluateRecord(
  scorer: RubricScorer,
  input: ScorerInput,
  record: RubricRecord,
  runIndex: number,
  clock: Clock,
): Promise<EvaluationRun> {
  const startedAt = new Date(clock.now());
  const started = clock.monotonic();
  const outcome = await run(scorer, input).catch((error: unknown) => ({ error: errorText(error) }));
  const common = {
    run_index: runIndex,
    started_at: startedAt.toISOString(),
    completed_at: new Date(clock.now()).toISOString(),
    duration_seconds: (clock.monotonic() - started) / 1000,
  };
  if ('error' in outcome) {
    const preview = previewText(record.solutionStr);
    return { ...common, status: 'error', score: null, explanation: null, preview, error: outcome.error, raw: null };
  }
  return {
    ...common,
    status: 'success',
    score: outcome.score,
    explanation: outcome.explanation?.trim() || null,
    preview: previewOf(outcome) ?? previewText(record.solutionStr),
    error: null,
    raw: plainRaw(outcome.raw),
  };
}

type Scored = Exclude<ScorerResult, number>;

/** A scorer that gives no number has failed: a success without a score would be counted as neither (weakness H 12). */
async function run(scorer: RubricScorer, input: ScorerInput): Promise<Scored> {
  const result: unknown = await scorer(input);
  const scored = typeof result === 'number' ? { score: result } : result;
  const score = typeof scored === 'object' && scored !== null && 'score' in scored ? scored.score : undefined;
  if (typeof score === 'number' && Number.isFinite(score)) return scored as Scored;
  throw new OsmosisError('REWARD_NOT_A_NUMBER', `the scorer gave no finite number as score, but ${typeof score}`);
}

function previewOf({ preview, raw }: Scored): string | null {
  const fields = (typeof raw === 'object' && raw !== null ? raw : {}) as Readonly<Record<string, unknown>>;
  return [preview, fields.preview, fields.summary, fields.text].map(previewText).find((text) => text !== null) ?? null;
}

/** A report must never fail on what a scorer handed over, after everything was paid for (weakness H 11). */
function plainRaw(raw: unknown): unknown {
  try {
    return raw === undefined ? null : (JSON.parse(JSON.stringify(raw)) as unknown);
  } catch {
    return `(a ${typeof raw} that has no JSON form)`;
  }
}

function errorText(error: unknown): string {
  if (OsmosisError.is(error)) return error.message;
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
