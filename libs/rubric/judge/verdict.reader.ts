import type { ScoreBounds } from '../rubric.request.js';

export interface ReadVerdict {
  /** Within the bounds. */
  readonly score: number;
  readonly explanation: string;
  /** The judge went out of the bounds, and its score was brought back to the nearer one. */
  readonly clamped: boolean;
}

/** The answer cannot be read; the message says why, in words that the judge can act on. */
export class VerdictSyntaxError extends Error {
  override readonly name = 'VerdictSyntaxError';
}

const THINKING = /^\s*<think(?:ing)?>[\s\S]*?<\/think(?:ing)?>/i;
const FENCE_OPEN = /^```[ \t]*(?:json)?[ \t]*\r?\n?/i;
const FENCE_CLOSE = /\r?\n?```$/;

/**
 * Reads a verdict. Thinking in front and one code fence around it are taken off (case RJ-01); anything else around the
 * object makes it unreadable, because whoever looks for JSON within prose finds the one that the candidate planted.
 *
 * A score is a finite JSON number: no boolean, no numeric text, no `8/10` (cases RJ-03, RJ-04).
 *
 * @throws VerdictSyntaxError
 */
export function readVerdict(text: string, bounds: ScoreBounds): ReadVerdict {
  const bare = stripped(text);
  if (bare === '') throw new VerdictSyntaxError('the answer did not include any content');
  const value = parseJson(bare);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new VerdictSyntaxError('the answer is not a JSON object');
  }
  const { score, explanation } = value as { score?: unknown; explanation?: unknown };
  if (typeof score !== 'number') {
    const found = score === undefined ? 'there is none' : `it is ${describe(score)}`;
    throw new VerdictSyntaxError(`the answer must have a numeric 'score'; ${found}`);
  }
  if (!Number.isFinite(score)) throw new VerdictSyntaxError("the numeric 'score' must be finite");
  if (typeof explanation !== 'string' || explanation.trim() === '') {
    throw new VerdictSyntaxError("the answer must have an 'explanation' that is text and not empty");
  }
  const clamped = Math.min(bounds.max, Math.max(bounds.min, score));
  return { score: clamped, explanation: explanation.trim(), clamped: clamped !== score };
}

function stripped(text: string): string {
  let bare = text.trim();
  while (THINKING.test(bare)) bare = bare.replace(THINKING, '').trim();
  if (FENCE_OPEN.test(bare)) bare = bare.replace(FENCE_OPEN, '').replace(FENCE_CLOSE, '');
  return bare.trim();
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new VerdictSyntaxError('the answer is not valid JSON');
  }
}

function describe(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'string' ? 'text' : `of type ${typeof value}`;
}
