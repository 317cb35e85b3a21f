import type { ChatCompletion, Clock, RolloutMetrics, RolloutPhase } from '#domain';

/** Counts and times one rollout. */
export class RolloutMeter {
  readonly #startedAt: number;
  #phase: RolloutPhase = 'agent';
  #phaseSince: number;
  readonly #elapsed: Partial<Record<RolloutPhase, number>> = {};
  #llmLatencyMs = 0;
  #toolLatencyMs = 0;
  #llmCalls = 0;
  #toolCalls = 0;
  #promptTokens = 0;
  #responseTokens = 0;
  #maxContextTokens = 0;

  constructor(private readonly clock: Clock) {
    this.#startedAt = this.#phaseSince = clock.monotonic();
  }

  get phase(): RolloutPhase {
    return this.#phase;
  }

  /** Milliseconds since the run began. */
  get totalMs(): number {
    return this.clock.monotonic() - this.#startedAt;
  }

  /** Tokens of the conversation so far: the largest context seen, or all responses when prompts are not counted. */
  get conversationTokens(): number {
    return Math.max(this.#maxContextTokens, this.#responseTokens);
  }

  /** Milliseconds spent in each phase so far, the current one included. */
  elapsed(): ReadonlyMap<RolloutPhase, number> {
    this.enter(this.#phase);
    return new Map(Object.entries(this.#elapsed) as [RolloutPhase, number][]);
  }

  /** Ends the current phase. Returns it, for going back. */
  enter(phase: RolloutPhase): RolloutPhase {
    const now = this.clock.monotonic();
    const previous = this.#phase;
    this.#elapsed[previous] = (this.#elapsed[previous] ?? 0) + now - this.#phaseSince;
    this.#phase = phase;
    this.#phaseSince = now;
    return previous;
  }

  now(): number {
    return this.clock.monotonic();
  }

  /** Time spent on a chat call that was not answered. */
  recordFailedChat(latencyMs: number): void {
    this.#llmLatencyMs += latencyMs;
  }

  recordChat(completion: ChatCompletion, latencyMs: number): void {
    this.#llmLatencyMs += latencyMs;
    this.#llmCalls++;
    const usage = completion.usage;
    if (!usage) return;
    this.#promptTokens += usage.promptTokens;
    this.#responseTokens += usage.completionTokens;
    this.#maxContextTokens = Math.max(this.#maxContextTokens, usage.promptTokens + usage.completionTokens);
  }

  recordToolCall(latencyMs: number): void {
    this.#toolCalls++;
    this.#toolLatencyMs += latencyMs;
  }

  snapshot(): RolloutMetrics {
    return {
      totalLatencyMs: this.totalMs,
      llmLatencyMs: this.#llmLatencyMs,
      toolLatencyMs: this.#toolLatencyMs,
      numLlmCalls: this.#llmCalls,
      numToolCalls: this.#toolCalls,
      promptTokens: this.#promptTokens,
      responseTokens: this.#responseTokens,
      maxContextTokens: this.#maxContextTokens,
    };
  }
}
