import type { RolloutChoice } from '../own.rollouts.js';
import type { RolloutLoad } from '../rollout.memory.js';
import type { RolloutView } from '../rollout.view.js';

/** What the workers of a server ask each other. Arguments and answers are plain data: they cross processes. */
export interface CrewQuestions {
  /** Those of the rollouts that are in work. */
  views(rolloutIds: readonly string[]): readonly RolloutView[];
  /** Cancels the chosen rollouts in work, and says of each whether it had begun. */
  cancel(choice: RolloutChoice): ReadonlyMap<string, 'queued' | 'running'>;
  load(): RolloutLoad;
  /** Delivers a dead letter again; false when there is none of that id. */
  redeliver(rolloutId: string): Promise<boolean>;
  /** Takes up what workers that have ended have left. Asked by who keeps the workers. */
  takeUp(members: readonly string[]): Promise<void>;
}

export type CrewQuestion = keyof CrewQuestions;
export type CrewAnswer<Name extends CrewQuestion> = Awaited<ReturnType<CrewQuestions[Name]>>;

/**
 * The workers of one server, as one of them sees the others: processes with the same agents, the same port and the same
 * store. The store decides who has a rollout; what only the memory of a worker knows is asked for here.
 */
export interface Crew {
  /** This worker's name in the store. No other process ever had or will have it. */
  readonly member: string;
  /** Whether this worker takes up what a former server has left, when it starts. */
  readonly isFirst: boolean;
  /**
   * Keeps other servers out of a data directory for as long as this one lives.
   *
   * @param directory absolute
   * @throws Error naming it when another server has it
   */
  holdDirectory(directory: string): Promise<void>;
  /** Asks all others. Gives the answers of those that could give one in time. */
  ask<Name extends CrewQuestion>(
    question: Name,
    ...args: Parameters<CrewQuestions[Name]>
  ): Promise<readonly CrewAnswer<Name>[]>;
  /** From now on this worker answers. */
  join(answers: CrewQuestions): void;
}
