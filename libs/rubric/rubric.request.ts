import type { Cancellation } from '#domain';
import { asModelInfo, type ModelInfo } from './model.info.js';
import { RubricInputError } from './rubric.error.js';

/** What `RubricService.evaluate` takes: the parameters of the reference (spec B.1), and what goes beyond it. */
export interface RubricRequest {
  /** Trusted text: the instructions to score by. */
  readonly rubric: string;
  /** Untrusted text: what is judged. */
  readonly solutionStr: string;
  /** Default: the module's option. */
  readonly modelInfo?: ModelInfo | string;
  readonly groundTruth?: string | null;
  readonly originalInput?: string | null;
  readonly metadata?: Readonly<Record<string, unknown>> | null;
  /** Default: the model info's, else 0. */
  readonly scoreMin?: number | null;
  /** Default: the model info's, else 1. */
  readonly scoreMax?: number | null;
  /** Seconds that one request to the model may take. */
  readonly timeout?: number | null;
  /** Comes before the judge's own instructions. Default: the model info's. */
  readonly systemPrompt?: string | null;
  /** Times the judge is asked, at once; the score is the mean. Default 1. */
  readonly votes?: number;
  /** Models asked in this order when the first gives no score. */
  readonly fallback?: readonly (ModelInfo | string)[];
  /** Default 0 where the model takes one. Several votes differ only with more. */
  readonly temperature?: number;
  /** Longer solutions are cut in the middle, visibly. Default: never. */
  readonly maxSolutionChars?: number;
  readonly cancellation?: Cancellation;
}

/** Inclusive. */
export interface ScoreBounds {
  readonly min: number;
  readonly max: number;
}

/** A request that was checked: blanks are gone, defaults are in. */
export interface JudgeCase {
  readonly rubric: string;
  readonly solution: string;
  readonly groundTruth: string | null;
  readonly originalInput: string | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly bounds: ScoreBounds;
  readonly systemPrompt: string | null;
}

/** @throws RubricInputError naming the field; checks in the reference's order (spec B.2) */
export function checkRequest(request: RubricRequest): JudgeCase {
  const info = asModelInfo(request.modelInfo ?? '');
  requireText(info.model, 'modelInfo.model');
  const rubric = requireText(request.rubric, 'rubric');
  const solution = requireText(request.solutionStr, 'solutionStr');
  const { votes = 1 } = request;
  if (!Number.isInteger(votes) || votes < 1)
    throw new RubricInputError(`votes must be an integer from 1, not ${votes}.`);
  return {
    rubric,
    solution: cut(solution, request.maxSolutionChars),
    groundTruth: firstText(request.groundTruth),
    originalInput: firstText(request.originalInput, info.originalInput),
    metadata: request.metadata && Object.keys(request.metadata).length > 0 ? request.metadata : null,
    bounds: checkBounds(request.scoreMin ?? info.scoreMin ?? 0, request.scoreMax ?? info.scoreMax ?? 1),
    systemPrompt: firstText(request.systemPrompt, info.systemPrompt),
  };
}

/** @throws RubricInputError unless both are finite and the lower is below the upper */
export function checkBounds(min: number, max: number): ScoreBounds {
  if (!Number.isFinite(min) || !Number.isFinite(max)) {
    throw new RubricInputError(`The score bounds must be finite numbers, not ${String(min)} and ${String(max)}.`);
  }
  if (max <= min) throw new RubricInputError(`scoreMax (${max}) must be above scoreMin (${min}).`);
  return { min, max };
}

/** The first that is text with something in it, trimmed. */
export function firstText(...candidates: readonly unknown[]): string | null {
  for (const candidate of candidates) {
    if (typeof candidate === 'string' && candidate.trim() !== '') return candidate.trim();
  }
  return null;
}

function requireText(value: unknown, name: string): string {
  if (typeof value === 'string' && value.trim() !== '') return value.trim();
  const found = typeof value === 'string' ? 'blank text' : value === null ? 'null' : typeof value;
  throw new RubricInputError(`${name} must be text that is not blank; got ${found}.`);
}

/** Keeps the beginning and the end: conclusions stand at the end (case RJ-15). */
function cut(text: string, limit: number | undefined): string {
  if (limit === undefined || text.length <= limit) return text;
  if (!Number.isInteger(limit) || limit < 1) {
    throw new RubricInputError(`maxSolutionChars must be an integer from 1, not ${limit}.`);
  }
  const head = Math.ceil(limit / 2);
  const tail = limit - head;
  const left = text.length - limit;
  return `${text.slice(0, head)}\n[… ${left} characters left out …]\n${tail > 0 ? text.slice(-tail) : ''}`;
}
