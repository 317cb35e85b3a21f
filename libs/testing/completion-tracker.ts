import { PeerTimeoutError } from '#domain';
import { Arrivals } from './arrivals.js';
import type { RolloutCompletion } from './wire/rollout-completion.js';

/**
 * Collects the completions that a mock trainer receives, and lets a test wait for them.
 *
 * @example
 * const tracker = new RolloutCompletionTracker();
 * const trainer = await createMockTrainerApp({ tracker, script: ['4'] });
 * // … post an init to the server under test …
 * const completion = await tracker.waitFor('rollout-1');
 * expect(completion.reward).toBe(1);
 */
export class RolloutCompletionTracker extends Arrivals<RolloutCompletion> {
  /** Whether a completion has come since the last {@link clear}. */
  get event(): boolean {
    return this.responses.length > 0;
  }

  /** True once a completion is there, false when none came in time. */
  async wait(timeoutMs = this.timeoutMs): Promise<boolean> {
    return (await this.until(() => this.responses[0], timeoutMs)) !== undefined;
  }

  /**
   * The first completion of a rollout, also one that came before.
   *
   * @throws PeerTimeoutError naming the rollouts that did complete
   */
  async waitFor(rolloutId: string, timeoutMs = this.timeoutMs): Promise<RolloutCompletion> {
    const find = (): RolloutCompletion | undefined =>
      this.responses.find((response) => response.rollout_id === rolloutId);
    return (await this.until(find, timeoutMs)) ?? this.#timeout(`a completion of rollout '${rolloutId}'`, timeoutMs);
  }

  /**
   * The recorded completions, as soon as there are that many, repeated deliveries included.
   *
   * @throws PeerTimeoutError naming the rollouts that did complete
   */
  async waitForCount(count: number, timeoutMs = this.timeoutMs): Promise<readonly RolloutCompletion[]> {
    const enough = (): readonly RolloutCompletion[] | undefined =>
      this.responses.length >= count ? [...this.responses] : undefined;
    return (await this.until(enough, timeoutMs)) ?? this.#timeout(`${count} completions`, timeoutMs);
  }

  #timeout(wanted: string, timeoutMs: number): never {
    const ids = this.responses.map((response) => `'${response.rollout_id}'`).join(', ');
    throw new PeerTimeoutError(
      `The mock trainer waited ${timeoutMs} ms for ${wanted}. Received: ${ids || 'none'}. ` +
        'Look at the log of the server under test, or wait longer.',
    );
  }
}
