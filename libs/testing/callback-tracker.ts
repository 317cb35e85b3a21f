import { PeerTimeoutError } from '#domain';
import { Arrivals } from './arrivals.js';
import type { CompletionCallback, GraderCallback, RolloutCallback } from './wire/callbacks.js';

/**
 * Collects the callbacks of dialect 0.3 that a mock trainer receives, and lets a test wait for them.
 *
 * @example
 * const callbacks = new RolloutCallbackTracker();
 * const trainer = await createMockTrainerApp({ callbacks, script: ['4'] });
 * // … post a rollout to the server under test, with the addresses of rolloutUrls(…) …
 * const grade = await callbacks.waitForGrade('rollout-1');
 * expect(grade.sample?.reward).toBe(1);
 */
export class RolloutCallbackTracker extends Arrivals<RolloutCallback> {
  /** All callbacks of a rollout, in order of arrival. */
  of(rolloutId: string): readonly RolloutCallback[] {
    return this.responses.filter((callback) => callback.rolloutId === rolloutId);
  }

  /**
   * The first completion callback of a rollout, also one that came before.
   *
   * @throws PeerTimeoutError naming what did come
   */
  async waitForCompletion(rolloutId: string, timeoutMs = this.timeoutMs): Promise<CompletionCallback> {
    const found = await this.until(() => this.#find('completion', rolloutId), timeoutMs);
    return found?.kind === 'completion' ? found.body : this.#timeout('completion', rolloutId, timeoutMs);
  }

  /**
   * The first grader callback of a rollout, also one that came before. The last thing that a trainer is told.
   *
   * @throws PeerTimeoutError naming what did come
   */
  async waitForGrade(rolloutId: string, timeoutMs = this.timeoutMs): Promise<GraderCallback> {
    const found = await this.until(() => this.#find('grader', rolloutId), timeoutMs);
    return found?.kind === 'grader' ? found.body : this.#timeout('grader', rolloutId, timeoutMs);
  }

  #find(kind: RolloutCallback['kind'], rolloutId: string): RolloutCallback | undefined {
    return this.responses.find((callback) => callback.kind === kind && callback.rolloutId === rolloutId);
  }

  #timeout(kind: string, rolloutId: string, timeoutMs: number): never {
    const received = this.responses.map((callback) => `${callback.kind} of '${callback.rolloutId}'`).join(', ');
    throw new PeerTimeoutError(
      `The mock trainer waited ${timeoutMs} ms for the ${kind} callback of rollout '${rolloutId}'. Received: ` +
        `${received || 'none'}. Look at the log of the server under test, or wait longer.`,
    );
  }
}
