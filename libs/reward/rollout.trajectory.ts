import {
  getMessageText,
  getSolutionText,
  isUserMessage,
  parseToolCalls,
  type ChatMessage,
  type RolloutMetrics,
  type RolloutRequest,
  type ToolCall,
} from '#domain';
import type { ExtraInfo } from './decorators/reward.decorator.js';

interface RolloutTrajectoryParts {
  readonly request: RolloutRequest;
  readonly messages: readonly ChatMessage[];
  readonly finishReason: string;
  readonly metrics: RolloutMetrics;
  /** Who is told that the sample is not to be trained on. */
  readonly sample?: { removeSample(): void };
}

/** A finished run, as rewards see it: what was asked, what was said, what it cost. */
export class RolloutTrajectory {
  readonly request: RolloutRequest;
  /** The whole conversation. */
  readonly messages: readonly ChatMessage[];
  readonly finishReason: string;
  /** The figures at the end of the run, before scoring. */
  readonly metrics: RolloutMetrics;
  readonly #sample: RolloutTrajectoryParts['sample'];
  #solution: string | null = null;

  constructor({ request, messages, finishReason, metrics, sample }: RolloutTrajectoryParts) {
    this.request = request;
    this.messages = messages;
    this.finishReason = finishReason;
    this.metrics = metrics;
    this.#sample = sample;
  }

  /** Text of the last assistant message that has any; `''` when none has. */
  get solutionStr(): string {
    return (this.#solution ??= getSolutionText(this.messages));
  }

  /**
   * The request's label, or the `ground_truth` of its metadata, as text to compare with: numbers, booleans, lists and
   * objects become their JSON text; null and a missing field are undefined (cases RW-07, DS-14).
   */
  get groundTruth(): string | undefined {
    const { label } = this.request;
    if (label !== undefined && label !== null) return label;
    const value = this.request.metadata['ground_truth'];
    if (value === undefined || value === null) return undefined;
    if (typeof value === 'string') return value;
    // JSON has no NaN: its text would be null.
    return typeof value === 'number' ? String(value) : JSON.stringify(value);
  }

  /** The request's metadata. */
  get extraInfo(): ExtraInfo {
    return this.request.metadata;
  }

  /** Text of the first user message; `''` when there is none. */
  get question(): string {
    const message = this.messages.find(isUserMessage);
    return message ? getMessageText(message) : '';
  }

  /** Takes the rollout out of the training: its reward is not to be counted. */
  removeSample(): void {
    this.#sample?.removeSample();
  }

  /** Every tool call of the conversation, in order. */
  get toolCalls(): readonly ToolCall[] {
    return this.messages.flatMap((message) => parseToolCalls(message));
  }
}
