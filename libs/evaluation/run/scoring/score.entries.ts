import type { RewardComponent } from '#domain';

/** The scores of one run, by scorer. */
export interface ScoreEntries {
  readonly scores: Readonly<Record<string, number | null>>;
  /** Why a score is null. */
  readonly errors: Readonly<Record<string, string>>;
  /** What a judge says of its score. */
  readonly reasons: Readonly<Record<string, string>>;
}

export const NO_ENTRIES: ScoreEntries = Object.freeze({ scores: {}, errors: {}, reasons: {} });

const TOTAL = 'reward';
const OTHER_TOTAL = 'reward (sum)';

/**
 * What the agent's rewards gave, as scorers: each under its name, and what was made of them all as `reward` where that is
 * something else. One that an agent's loop gave itself has no other name than `reward`.
 */
export function rewardEntries(reward: number | null, components: readonly RewardComponent[]): ScoreEntries {
  const scores: Record<string, number | null> = {};
  const errors: Record<string, string> = {};
  const reasons: Record<string, string> = {};
  for (const { name, value, failure, reason } of components) {
    scores[name] = value;
    if (failure) errors[name] = failure.message;
    if (reason !== undefined) reasons[name] = reason;
  }
  if (components.length > 1 || reward !== (components[0]?.value ?? null)) {
    const name = totalName(components.map((component) => component.name));
    scores[name] = reward;
    if (reward === null) errors[name] = 'a part of it could not be computed';
  }
  return { scores, errors, reasons };
}

/** The scorers that rewards of these names will give, as far as it can be told beforehand. */
export function expectedScorers(rewards: readonly string[]): string[] {
  return rewards.length > 1 ? [...rewards, totalName(rewards)] : [...rewards];
}

/** The scorer that a run is judged by when none is named: the sum of the rewards, else the first one. */
export function mainScorer(names: Iterable<string>): string | undefined {
  const all = [...names];
  return [OTHER_TOTAL, TOTAL].find((total) => all.includes(total)) ?? all[0];
}

/** A reward may be called `reward` itself. */
function totalName(components: readonly string[]): string {
  return components.includes(TOTAL) ? OTHER_TOTAL : TOTAL;
}

export function mergeEntries(...entries: readonly ScoreEntries[]): ScoreEntries {
  return {
    scores: Object.assign({}, ...entries.map(({ scores }) => scores)) as ScoreEntries['scores'],
    errors: Object.assign({}, ...entries.map(({ errors }) => errors)) as ScoreEntries['errors'],
    reasons: Object.assign({}, ...entries.map(({ reasons }) => reasons)) as ScoreEntries['reasons'],
  };
}
