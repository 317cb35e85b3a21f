/** What a mock trainer can be told to get wrong: chat calls, 0.2's completions, 0.3's completion and grader callbacks. */
export type TrainerRoute = 'chat' | 'completed' | 'completion' | 'grader';

/**
 * What happens to one request:
 *
 * - `pass`: nothing
 * - a number: this status instead of an answer, e.g. 503; the request is not handled
 * - `{ status, headers, body }`: the same with headers and body
 * - `drop-before`: the socket is closed, the request is not handled
 * - `drop-after`: the request is handled, then the socket is closed, so that the answer is lost
 * - `malformed`: the request is handled, its answer's JSON is cut off in the middle
 * - `{ delayMs }`: the request is handled that much later
 */
export type Fault = 'pass' | 'drop-before' | 'drop-after' | 'malformed' | number | StatusFault | DelayFault;

export interface StatusFault {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text is sent as it is, everything else as JSON. `{"detail": …}` when left out. */
  readonly body?: unknown;
}

export interface DelayFault {
  readonly delayMs: number;
}

export interface FaultRule {
  readonly route: TrainerRoute;
  /** One for each matching request, in order of arrival; requests after the last are let through. */
  readonly faults: readonly Fault[];
  /** Only requests of this rollout. */
  readonly rolloutId?: string;
  /** Starts again after the last fault, until the plan is cleared: an outage. */
  readonly repeat?: boolean;
}

/**
 * The faults of a mock trainer. May be added to and cleared while it runs. The first rule that matches a request
 * decides.
 *
 * @example
 * const faults = new FaultPlan()
 *   .onChat(503, { status: 429, headers: { 'retry-after': '1' } }) // the first two chat requests, then none
 *   .onCompleted('drop-after');                                     // the first completion's acknowledgement is lost
 * const trainer = await createMockTrainerApp({ faults });
 */
export class FaultPlan {
  readonly #rules: { readonly rule: FaultRule; used: number }[] = [];

  onChat(...faults: readonly Fault[]): this {
    return this.add({ route: 'chat', faults });
  }

  onCompleted(...faults: readonly Fault[]): this {
    return this.add({ route: 'completed', faults });
  }

  onCompletionCallback(...faults: readonly Fault[]): this {
    return this.add({ route: 'completion', faults });
  }

  onGraderCallback(...faults: readonly Fault[]): this {
    return this.add({ route: 'grader', faults });
  }

  add(rule: FaultRule): this {
    this.#rules.push({ rule, used: 0 });
    return this;
  }

  /** From now on everything passes. */
  clear(): void {
    this.#rules.length = 0;
  }

  /** How many faults have not struck yet; those of repeating rules do not count. */
  get pending(): number {
    return this.#rules
      .filter(({ rule }) => !rule.repeat)
      .reduce((sum, { rule, used }) => sum + rule.faults.length - used, 0);
  }

  /**
   * The fault of the next request.
   *
   * @param rolloutId asked for only when a rule is for one rollout
   */
  take(route: TrainerRoute, rolloutId: () => string | undefined): Fault {
    for (const entry of this.#rules) {
      const { faults, repeat } = entry.rule;
      if (entry.rule.route !== route) continue;
      if (entry.rule.rolloutId !== undefined && entry.rule.rolloutId !== rolloutId()) continue;
      const fault = faults[repeat ? entry.used % faults.length : entry.used];
      if (fault === undefined) continue;
      entry.used++;
      return fault;
    }
    return 'pass';
  }
}
