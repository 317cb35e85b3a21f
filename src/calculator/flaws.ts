import type { Problem } from './problems.js';
import type { Flaw } from './solver.js';

/** Which problems the demo's model gets wrong, by id. */
const FLAWS: ReadonlyMap<string, Flaw> = new Map([
  ['sum-04', 'in-words'],
  ['sum-08', 'off-by-one'],
  ['sum-12', 'stops-early'],
  ['sum-14', 'in-words'],
  ['sum-26', 'stops-early'],
  ['sum-28', 'off-by-one'],
]);

/** The flaws by question, as the solver wants them. */
export function flawsOf(problems: readonly Problem[]): ReadonlyMap<string, Flaw> {
  return new Map(
    problems.flatMap(({ id, user_prompt }) => {
      const flaw = FLAWS.get(id);
      return flaw ? [[user_prompt, flaw] as const] : [];
    }),
  );
}

/** The reward that the model's answer to a problem is worth: half when it is right, but not said exactly as asked. */
export function expectedReward(problem: Problem): number {
  const flaw = FLAWS.get(problem.id);
  if (flaw === 'in-words') return 0.5;
  if (flaw !== undefined) return 0;
  return problem.tolerance === undefined ? 1 : 0.5;
}
