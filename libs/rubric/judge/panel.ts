import { mean, standardDeviation } from 'simple-statistics';
import { OsmosisError, type TokenUsage } from '#domain';
import { JudgeFailedError } from '../rubric.error.js';
import type { JudgeCase } from '../rubric.request.js';
import type { Judge, JudgeOptions, Vote } from './judge.js';

/** A score, and how far it can be relied on. */
export interface RubricVerdict {
  /** Within the bounds; the mean of the votes. */
  readonly score: number;
  /** Of the vote that is nearest to the mean. */
  readonly explanation: string;
  /** That vote's answer as the provider sent it. */
  readonly raw: unknown;
  /** `provider/model` that gave it; not the first one asked when that failed. */
  readonly model: string;
  /** A judge went out of the bounds and was brought back. */
  readonly clamped: boolean;
  readonly votes: readonly Vote[];
  /** Votes that gave no score. */
  readonly failedVotes: number;
  /** Population standard deviation of the votes, in the unit of the score. */
  readonly spread: number;
  /** Share of the votes within a tenth of the range of their mean: 1 for one vote. */
  readonly agreement: number;
  readonly usage: TokenUsage | null;
}

const AGREEMENT_SHARE_OF_RANGE = 0.1;

/**
 * Asks each judge in turn until one gives a score. Several votes are asked for at once; more than half of them must be
 * readable.
 *
 * @throws the one judge's error, JudgeFailedError for several, or the cancellation's reason
 */
export async function askPanel(
  judges: readonly Judge[],
  judged: JudgeCase,
  votes: number,
  options: JudgeOptions,
): Promise<RubricVerdict> {
  const errors: OsmosisError[] = [];
  for (const judge of judges) {
    try {
      return await askJudge(judge, judged, votes, options);
    } catch (error) {
      options.cancellation.throwIfCancelled();
      if (!OsmosisError.is(error)) throw error;
      errors.push(error);
    }
  }
  const [first] = errors;
  if (first && errors.length === 1) throw first;
  const list = errors.map((error) => `  - ${error.message}`).join('\n');
  throw new JudgeFailedError(`None of ${errors.length} judges gave a score:\n${list}`, errors);
}

async function askJudge(judge: Judge, judged: JudgeCase, count: number, options: JudgeOptions): Promise<RubricVerdict> {
  const settled = await Promise.allSettled(Array.from({ length: count }, () => judge.vote(judged, options)));
  options.cancellation.throwIfCancelled();
  const votes = settled.filter((result) => result.status === 'fulfilled').map((result) => result.value);
  if (votes.length * 2 <= count) throw tooFew(settled, judge);
  return combine(votes, count - votes.length, judged, judge.name);
}

function tooFew(settled: readonly PromiseSettledResult<Vote>[], judge: Judge): unknown {
  const reasons: unknown[] = settled
    .filter((result) => result.status === 'rejected')
    .map((result): unknown => result.reason);
  const unknown = reasons.find((reason) => !OsmosisError.is(reason));
  if (unknown !== undefined || settled.length === 1) return unknown ?? reasons[0];
  const errors = reasons.filter((reason) => OsmosisError.is(reason));
  const first = errors[0]?.message ?? '';
  return new JudgeFailedError(
    `${errors.length} of ${settled.length} votes of ${judge.name} gave no score. The first: ${first}`,
    errors,
  );
}

function combine(votes: readonly Vote[], failedVotes: number, judged: JudgeCase, model: string): RubricVerdict {
  const scores = votes.map((vote) => vote.score);
  const score = mean(scores);
  const distance = (vote: Vote): number => Math.abs(vote.score - score);
  const nearest = votes.reduce((best, vote) => (distance(vote) < distance(best) ? vote : best));
  const tolerance = (judged.bounds.max - judged.bounds.min) * AGREEMENT_SHARE_OF_RANGE;
  return {
    score,
    explanation: nearest.explanation,
    raw: nearest.raw,
    model,
    clamped: votes.some((vote) => vote.clamped),
    votes,
    failedVotes,
    spread: standardDeviation(scores),
    agreement: votes.filter((vote) => distance(vote) <= tolerance).length / votes.length,
    usage: totalUsage(votes),
  };
}

function totalUsage(votes: readonly Vote[]): TokenUsage | null {
  const known = votes.map((vote) => vote.usage).filter((usage) => usage !== null);
  if (known.length === 0) return null;
  return known.reduce((total, usage) => ({
    promptTokens: total.promptTokens + usage.promptTokens,
    completionTokens: total.completionTokens + usage.completionTokens,
  }));
}
