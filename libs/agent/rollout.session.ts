import type { InvocationScope } from '#discovery';
import {
  OsmosisError,
  type Cancellation,
  type ChatCompletion,
  type ChatMessage,
  type ChatModel,
  type RolloutPhase,
  type RolloutRequest,
  type SampleNotes,
} from '#domain';
import type { RolloutMeter } from './rollout.meter.js';
import type { ToolExecutor } from './tool.executor.js';
import type { ToolSet } from './tool.types.js';
import type { TrajectoryRecorder } from './trajectory.recorder.js';

/** Where `ctx.logEvent` writes. Never throws, never blocks. */
export interface TraceSink {
  write(rolloutId: string, eventType: string, data: Readonly<Record<string, unknown>>): void;
}

interface RolloutSessionParts {
  readonly request: RolloutRequest;
  readonly tools: ToolSet;
  readonly model: ChatModel;
  readonly executor: ToolExecutor;
  readonly scope: InvocationScope;
  readonly meter: RolloutMeter;
  readonly cancellation: Cancellation;
  readonly trace: TraceSink | null;
  readonly recorder: TrajectoryRecorder | null;
}

/** Everything that belongs to one running rollout, shared by the contexts that its code is handed. */
export class RolloutSession {
  readonly request: RolloutRequest;
  readonly tools: ToolSet;
  readonly model: ChatModel;
  readonly executor: ToolExecutor;
  readonly scope: InvocationScope;
  readonly meter: RolloutMeter;
  readonly cancellation: Cancellation;
  readonly trace: TraceSink | null;
  /** Null when nobody wants the trajectory's document. */
  readonly recorder: TrajectoryRecorder | null;
  #history: readonly ChatMessage[] | null = null;
  #answer: ChatMessage | null = null;
  #removed = false;
  #metrics: Map<string, unknown> | null = null;
  #ended = false;
  #fault: { readonly error: unknown; readonly phase: RolloutPhase } | null = null;

  constructor(parts: RolloutSessionParts) {
    this.request = parts.request;
    this.tools = parts.tools;
    this.model = parts.model;
    this.executor = parts.executor;
    this.scope = parts.scope;
    this.meter = parts.meter;
    this.cancellation = parts.cancellation;
    this.trace = parts.trace;
    this.recorder = parts.recorder;
  }

  /** The loop has ended: what it left running asks the model no more. */
  end(): void {
    this.#ended = true;
  }

  /** @throws the cancellation's reason; OsmosisError AGENT_FAILED after the end of the loop */
  requireRunning(): void {
    this.cancellation.throwIfCancelled();
    if (!this.#ended) return;
    throw new OsmosisError(
      'AGENT_FAILED',
      'The rollout has ended, and its model is not asked any more. Await every ctx.chat() before run returns.',
    );
  }

  /** The messages of the last chat call, by reference: a loop that appends to its list is followed. */
  asked(messages: readonly ChatMessage[]): void {
    this.#history = messages;
    this.#answer = null;
  }

  answered(completion: ChatCompletion, latencyMs: number): void {
    this.#answer = completion.message;
    this.recorder?.chatAnswered(completion, latencyMs);
  }

  /** The conversation as far as it is known, for rollouts that fail in the middle. Empty before the first chat call. */
  conversation(): readonly ChatMessage[] {
    const history = this.#history ?? [];
    const answer = this.#answer;
    return answer && !history.includes(answer) ? [...history, answer] : history;
  }

  /** What was said of the sample; undefined when that is nothing. */
  get sampleNotes(): SampleNotes | undefined {
    if (!this.#removed && !this.#metrics) return undefined;
    return { removed: this.#removed, metrics: Object.fromEntries(this.#metrics ?? []) };
  }

  removeSample(): void {
    this.#removed = true;
  }

  recordMetric(name: string, value: unknown): void {
    (this.#metrics ??= new Map()).set(name, value);
  }

  /** Remembers where an error arose: it is caught when the rollout is in another phase again. */
  arose(error: unknown, phase: RolloutPhase = this.meter.phase): void {
    this.#fault = { error, phase };
  }

  /** The phase in which an error arose; the current one for errors nobody has remembered. */
  phaseOf(error: unknown): RolloutPhase {
    const fault = this.#fault;
    return fault && fault.error === error ? fault.phase : this.meter.phase;
  }
}
